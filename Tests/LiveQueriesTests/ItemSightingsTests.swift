import Basics
import CloudModel
import DaemonProtocol
import LocalMetadata
import Testing

@testable import LiveQueries

@Suite("State of monitored items")
struct ItemSightingsTests {
    private func item(_ path: String, size: UInt64 = 0, isUploaded: Bool = true) throws -> FoundItem {
        let details = FoundItem.Details(
            item: 1, path: try MountPath(bytes: Array(path.utf8)), kind: .file, contentType: "public.data",
            modified: WireTime(.zero), created: WireTime(.zero), container: "CloudDocs", isInDocuments: true)
        var state = DocumentState(isUploaded: isUploaded)
        state.size = size
        return FoundItem(details, state)
    }

    @Test("items that appear after the first scan are new, in any order")
    func new() throws {
        var sightings = ItemSightings(after: NodeID(20))
        #expect(sightings.kind(of: NodeID(23), try item("c")) == .created)
        #expect(sightings.kind(of: NodeID(7), try item("folder")) == .changed)
        #expect(sightings.kind(of: NodeID(21), try item("a")) == .created)
        #expect(sightings.kind(of: NodeID(20), try item("z")) == .changed)
    }

    @Test("changes of name, content and state are distinguished, and no difference is no change")
    func kinds() throws {
        var sightings = ItemSightings(after: NodeID(1))
        #expect(sightings.kind(of: NodeID(2), try item("a")) == .created)
        #expect(sightings.kind(of: NodeID(2), try item("a")) == nil)
        #expect(sightings.kind(of: NodeID(2), try item("a", isUploaded: false)) == .status)
        #expect(sightings.kind(of: NodeID(2), try item("a", size: 3, isUploaded: false)) == .changed)
        #expect(sightings.kind(of: NodeID(2), try item("b", size: 4, isUploaded: false)) == .moved)
    }

    @Test("a move that was already reported is not reported again")
    func reported() throws {
        var sightings = ItemSightings(after: NodeID(1))
        #expect(sightings.kind(of: NodeID(2), try item("a")) == .created)
        sightings.moved(NodeID(2), to: try MountPath(bytes: Array("b".utf8)))
        #expect(sightings.kind(of: NodeID(2), try item("b")) == nil)
    }

    @Test("items that were dropped from memory count as changed when they are seen again, and new ones stay new")
    func bound() throws {
        var sightings = ItemSightings(after: NodeID(0))
        for node in 1...10_001 { #expect(sightings.kind(of: NodeID(UInt64(node)), try item("\(node)")) == .created) }
        #expect(sightings.kind(of: NodeID(1), try item("1")) == .changed)
        #expect(sightings.kind(of: NodeID(10_002), try item("new")) == .created)
    }
}
