import CloudModel
import Glibc
import Testing

@testable import DirectoryCloud

@Suite("Meaning of events in a watched folder")
struct WatchRoleTests {
    private func meaning(_ role: WatchRole, _ mask: Int, _ name: String = "") -> WatchRole.Meaning {
        role.meaning(of: UInt32(mask), name: Array(name.utf8))
    }

    @Test(
        "If a watched folder disappears, the place to watch is determined again",
        arguments: [
            WatchRole.ancestor(awaited: nil), .root, .containers, .log, .shard(.cloudDocs),
        ])
    func gone(role: WatchRole) {
        for mask in [Int(IN_DELETE_SELF), Int(IN_MOVE_SELF), Int(IN_UNMOUNT)] { #expect(meaning(role, mask) == .place) }
        #expect(meaning(role, Int(IN_IGNORED)) == .nothing)
    }

    @Test("Above the cloud, only events for the expected name matter")
    func ancestor() {
        let role = WatchRole.ancestor(awaited: Array("cloud".utf8))
        #expect(meaning(role, Int(IN_MOVED_TO), "cloud") == .place)
        #expect(meaning(role, Int(IN_CREATE), "cloud2") == .nothing)
        #expect(WatchRole.ancestor(awaited: nil).mask & UInt32(IN_CREATE) == 0)
    }

    @Test("In the cloud, events for the identity and the containers matter, those for temporary files do not")
    func root() {
        #expect(meaning(.root, Int(IN_DELETE), "ubiquity-cloud") == .place)
        #expect(meaning(.root, Int(IN_CREATE), "containers") == .place)
        #expect(meaning(.root, Int(IN_CREATE), "temporary") == .nothing)
    }

    @Test("A new entry changes its container, and a new folder is watched")
    func logs() {
        #expect(meaning(.shard(.cloudDocs), Int(IN_CREATE), "000000001") == .entry(.cloudDocs))
        #expect(meaning(.shard(.cloudDocs), Int(IN_MOVED_TO), "000000001") == .entry(.cloudDocs))
        #expect(meaning(.log, Int(IN_CREATE), "000001") == .structure)
        #expect(meaning(.containers, Int(IN_MOVED_TO), "notes") == .structure)
    }
}
