import LocalMetadata
import Sync
import Testing
import VirtualFileSystem

@testable import Simulation

/// Cases of folders, found by random histories.
extension FoundCases {
    /// Both folders are on this device, each with a document, and the remaining folder is inside the other.
    @Test(
        "two merged folders, one of which was inside the other, are one folder in its place with the contents of both"
    )
    func folderBecomesInner() throws {
        try withDevice { device, user in
            var ledger = Ledger()
            let target = try user.folder("f", in: device.root)
            try user.save("inner", in: target, "1", &ledger)
            try rest(device)
            let outer = try user.folder("g", in: device.root)
            try user.save("outer", in: outer, "2", &ledger)
            try user.move("f", in: device.root, to: "f", in: outer)
            try user.move("g", in: device.root, to: "f", in: device.root)
            let (old, kept) = try device.metadata.read {
                (try $0.local.item(outer)?.item, try $0.local.item(target)?.item)
            }
            let ids = (try #require(old), try #require(kept))
            let container = try device.container()
            try device.parts.context.changeTree { transaction, _ in
                var follower = LogFollower(device.parts.context).follower(transaction, container.id)
                try follower.unite(ids.0, into: ids.1)
            }
            let one = try #require(try user.item("f", in: device.root))
            #expect(one.item == ids.1)
            #expect(try user.item("f", in: one.node) == nil)
            #expect(try user.content(of: user.item("inner", in: one.node)) == "1")
            #expect(try user.content(of: user.item("outer", in: one.node)) == "2")
        }
    }

    @Test("a folder is never moved into itself, whatever is requested")
    func circle() throws {
        try withDevice { device, user in
            let outer = try user.folder("f", in: device.root)
            let inner = try user.folder("g", in: outer)
            #expect(throws: MetadataError.self) {
                try device.metadata.write { transaction in
                    var item = try #require(try transaction.local.item(outer))
                    item.parent = inner
                    try transaction.local.update(item)
                }
            }
        }
    }

    @Test(
        "histories that failed before succeed",
        arguments: [
            (8940, 80), (9072, 59), (70, 70), (2175, 23), (6943, 57), (7556, 62), (8490, 69), (4697, 41), (6933, 57),
            (1798, 72), (7_774_069, 56), (7_774_413, 60), (994_776_371_850, 76),
        ] as [(UInt64, Int)])
    func seed(_ seed: UInt64, steps: Int) throws {
        let outcome = try History.live(Plan(seed: seed, steps: steps, vocabulary: .first), shared: SharedParts())
        #expect(outcome.problems.isEmpty, "\(outcome.report)")
    }

    @Test(
        "histories of the second vocabulary that failed before succeed",
        arguments: [(2607, 70), (2890, 77), (821_928_859_326, 67), (821_928_859_403, 71)] as [(UInt64, Int)])
    func secondSeed(_ seed: UInt64, steps: Int) throws {
        let outcome = try History.live(Plan(seed: seed, steps: steps, vocabulary: .second), shared: SharedParts())
        #expect(outcome.problems.isEmpty, "\(outcome.report)")
    }

    @Test(
        "histories of the third vocabulary that failed before succeed",
        arguments: [(507_695, 69), (508_261, 74), (508_421, 75), (903_168, 33), (1860, 74)] as [(UInt64, Int)])
    func thirdSeed(_ seed: UInt64, steps: Int) throws {
        let outcome = try History.live(Plan(seed: seed, steps: steps, vocabulary: .third), shared: SharedParts())
        #expect(outcome.problems.isEmpty, "\(outcome.report)")
    }
}

extension UserActions {
    fileprivate func folder(_ name: String, in parent: NodeID) throws -> NodeID {
        try device.files.makeFolder(Array(name.utf8), in: parent, permissions: 0o755, caller: caller).node
    }

    fileprivate func move(_ name: String, in parent: NodeID, to newName: String, in newParent: NodeID) throws {
        try device.files.rename(
            Array(name.utf8), in: parent, to: Array(newName.utf8), in: newParent, mode: .replace)
    }
}
