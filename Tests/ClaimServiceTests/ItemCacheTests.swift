import Basics
import CloudModel
import Coordination
import LocalMetadata
import Testing

@testable import ClaimService

@Suite("Cache of the items that claims use")
struct ItemCacheTests {
    private func row(_ node: UInt64, _ name: String, in parent: UInt64 = 1) throws -> ItemCache.Row {
        var item = LocalItem(
            container: ContainerID(1), item: ItemID(high: 0, low: node), parent: NodeID(parent),
            name: try ItemName(name),
            kind: .file, attributes: ItemAttributes(permissions: 0, modified: .zero, created: .zero), changed: .zero)
        item.node = NodeID(node)
        return ItemCache.Row(item)
    }

    private func place(_ name: String, in folder: Int64 = 1) throws -> ItemPlace {
        ItemPlace(folder: ItemNumber(folder), name: try ItemName(name))
    }

    private func changes(_ nodes: UInt64...) -> RowChanges {
        var changes = RowChanges()
        changes.nodes = Set(nodes.map(NodeID.init))
        return changes
    }

    @Test("a row is found by its number and by its path until it changes")
    func forgetting() throws {
        let known = ItemCache()
        known.learn([try row(7, "a"), try row(8, "b")], of: known.epoch)
        #expect(known[try place("a")]?.item == ItemNumber(7))
        #expect(known[ItemNumber(7)]?.place == (try place("a")))
        known.forget(changes(7))
        #expect(known[try place("a")] == nil && known[ItemNumber(7)] == nil)
        #expect(known[try place("b")]?.item == ItemNumber(8))
    }

    @Test("a row that was read before a change is not cached after it")
    func stale() throws {
        let known = ItemCache()
        let epoch = known.epoch
        known.forget(changes(7))
        known.learn([try row(7, "a")], of: epoch)
        #expect(known[ItemNumber(7)] == nil)
    }

    @Test("a change of many items at once clears the cache")
    func everything() throws {
        let known = ItemCache()
        known.learn([try row(7, "a")], of: known.epoch)
        var changes = RowChanges()
        changes.isEverything = true
        known.forget(changes)
        #expect(known[ItemNumber(7)] == nil)
    }

    @Test("a row that took the place of another one is found at that place")
    func successor() throws {
        let known = ItemCache()
        known.learn([try row(7, "a")], of: known.epoch)
        known.forget(changes(7, 8))
        known.learn([try row(8, "a")], of: known.epoch)
        #expect(known[try place("a")]?.item == ItemNumber(8))
    }

    @Test("the cache is bounded, and items that are requested again stay in it")
    func bound() throws {
        let known = ItemCache(limit: 10)
        known.learn([try row(1_000, "kept")], of: known.epoch)
        for node in UInt64(1)...95 {
            known.learn([try row(node, "f\(node)")], of: known.epoch)
            #expect(known[ItemNumber(1_000)] != nil, "after \(node) others")
        }
        let left = (Int64(1)...95).count { known[ItemNumber($0)] != nil }
        #expect(left < 20)
    }
}
