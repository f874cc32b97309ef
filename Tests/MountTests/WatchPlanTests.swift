import LocalMetadata
import Testing

@testable import Mount

@Suite("Which changes watchers are notified of")
struct WatchPlanTests {
    private typealias Place = Announcement.Place
    private typealias Item = WatchPlan.Item

    /// Folder 10 holds the files 11 and 12, folder 20 holds the file 21.
    private var items: [Item] = [
        Item(node: NodeID(10), kind: .folder, place: Place(parent: .root, name: Array("ten".utf8))),
        Item(node: NodeID(11), kind: .file, place: Place(parent: NodeID(10), name: Array("a".utf8))),
        Item(node: NodeID(12), kind: .file, place: Place(parent: NodeID(10), name: Array("b".utf8))),
        Item(node: NodeID(20), kind: .folder, place: Place(parent: .root, name: Array("twenty".utf8))),
        Item(node: NodeID(21), kind: .file, place: Place(parent: NodeID(20), name: Array("c".utf8))),
    ]

    private func announcements(watched: Set<UInt64>, _ change: (inout RemoteChanges) -> Void) -> [Announcement] {
        var changes = RemoteChanges()
        change(&changes)
        let items = items
        return WatchPlan(
            watched: watched, itemAt: { place in items.first { $0.place == place } },
            itemOf: { node in items.first { $0.node == node } }
        ).announcements(of: changes)
    }

    private func announcement(_ node: UInt64, _ change: Announcement.Change) throws -> Announcement {
        let item = try #require(items.first { $0.node == NodeID(node) })
        return Announcement(node: item.node, kind: item.kind, place: item.place, change: change)
    }

    private func gone(_ node: UInt64, _ name: String, in parent: UInt64) -> RemoteChanges.Removed {
        RemoteChanges.Removed(
            node: NodeID(node), kind: .file, place: Place(parent: NodeID(parent), name: Array(name.utf8)))
    }

    @Test("a change is announced where its folder is watched, and not elsewhere")
    func folders() throws {
        let change = { (changes: inout RemoteChanges) in
            changes.created = [NodeID(11), NodeID(21)]
            changes.nodes = [NodeID(12), NodeID(20), NodeID(21)]
        }
        #expect(try announcements(watched: [10], change) == [announcement(11, .created), announcement(12, .modified)])
        #expect(try announcements(watched: [20], change) == [announcement(21, .created)])
        #expect(announcements(watched: [99], change).isEmpty)
    }

    @Test("a file that is watched itself is announced when it changes, moves or is removed")
    func files() throws {
        #expect(try announcements(watched: [12]) { $0.nodes = [NodeID(12)] } == [announcement(12, .modified)])
        let former = Place(parent: NodeID(20), name: Array("former".utf8))
        #expect(
            try announcements(watched: [12]) { $0.moved = [NodeID(12): former] }
                == [announcement(12, .moved(from: former))])
        let removed = announcements(watched: [77]) { $0.removed = [gone(77, "z", in: 10)] }
        #expect(removed.map(\.change) == [.removed] && removed.map(\.node) == [NodeID(77)])
    }

    @Test("a move is announced where either of its folders is watched, once, and only if the place differs")
    func moves() throws {
        let former = Place(parent: NodeID(20), name: Array("a".utf8))
        for watched in [[10], [20], [10, 20]] as [Set<UInt64>] {
            let result = announcements(watched: watched) { changes in
                changes.moved = [NodeID(11): former]
                changes.nodes = [NodeID(11), NodeID(10), NodeID(20)]
            }
            #expect(try result == [announcement(11, .moved(from: former))], "\(watched)")
        }
        let same = Place(parent: NodeID(10), name: Array("a".utf8))
        #expect(announcements(watched: [10]) { $0.moved = [NodeID(11): same] }.isEmpty)
    }

    @Test("a name that another file took is no removal: it was modified, or that file was moved or created there")
    func successors() throws {
        let removed = gone(77, "a", in: 10)
        #expect(try announcements(watched: [10]) { $0.removed = [removed] } == [announcement(11, .modified)])
        let former = Place(parent: NodeID(10), name: Array("former".utf8))
        let moved = announcements(watched: [10]) { changes in
            changes.removed = [removed]
            changes.moved = [NodeID(11): former]
        }
        #expect(try moved == [announcement(11, .moved(from: former))])
        let created = announcements(watched: [10]) { changes in
            changes.removed = [removed]
            changes.created = [NodeID(11)]
        }
        #expect(try created == [announcement(11, .created)])
    }
}
