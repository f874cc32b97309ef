import Basics
import CloudModel
import ContainerLog
import TestSupport
import Testing

@Suite("Rules of collections")
struct CollectionRuleTests {
    private let list = ContentReference(digest: .sample(90), size: 90, layout: .chunk)

    private func log(_ steps: CollectionStep...) throws -> TestLog {
        var log = try TestLog()
        for step in steps { try log.append(TestLog.c, .collection(step)) }
        return log
    }

    @Test("A proposal counts with the next number only, and records its list")
    func proposals() throws {
        var log = try log(.proposed(epoch: 0, list: list), .proposed(epoch: 2, list: list))
        #expect(log.tree.collectionEpochs() == CollectionEpochs())
        #expect(log.tree.collections.isEmpty)
        try log.append(TestLog.a, .collection(.proposed(epoch: 1, list: list)))
        #expect(log.tree.collection(1) == ProposedCollection(epoch: 1, list: list))
        let other = ContentReference(digest: .sample(91), size: 91, layout: .chunk)
        try log.append(TestLog.b, .collection(.proposed(epoch: 1, list: other)))
        #expect(log.tree.collection(1)?.list == list, "the later of two proposals of one epoch is void")
        #expect(log.tree.collectionEpochs() == CollectionEpochs(proposed: 1))
    }

    @Test("A step counts only after the step before it, and once")
    func order() throws {
        var log = try log(.begun(epoch: 1), .done(epoch: 1), .proposed(epoch: 1, list: list), .done(epoch: 1))
        #expect(log.tree.collection(1)?.phase == .proposed)
        try log.append(TestLog.b, .collection(.begun(epoch: 1)))
        #expect(log.tree.collection(1)?.phase == .begun)
        try log.append(TestLog.c, .collection(.done(epoch: 1)), .collection(.begun(epoch: 1)))
        #expect(log.tree.collection(1)?.phase == .done, "what is done does not begin again")
        try log.append(TestLog.c, .collection(.done(epoch: 7)))
        #expect(log.tree.collections.keys.sorted() == [1])
    }

    @Test("Several collections may be open at once, and the newest begun one refuses")
    func twoCollections() throws {
        var log = try log(.proposed(epoch: 1, list: list), .proposed(epoch: 2, list: list), .begun(epoch: 2))
        #expect(log.tree.collectionEpochs() == CollectionEpochs(proposed: 2, begun: 2))
        #expect(try fold(&log, knowing: 1).isRefused)
        #expect(try !fold(&log, knowing: 2).isRefused)
        try log.append(TestLog.c, .collection(.begun(epoch: 1)))
        #expect(log.tree.collectionEpochs() == CollectionEpochs(proposed: 2, begun: 2))
        #expect(try fold(&log, knowing: 1).isRefused)
        #expect(try !fold(&log, knowing: 2).isRefused)
    }

    @Test("A proposal alone refuses nothing")
    func proposedRefusesNothing() throws {
        var log = try log(.proposed(epoch: 1, list: list))
        #expect(try !fold(&log, knowing: 0).isRefused)
    }

    @Test("A batch that brings contents without knowing of a begun collection is refused, and its number is used up")
    func refusal() throws {
        var log = try log(.proposed(epoch: 1, list: list))
        try log.file(1, "a", 10)
        try log.append(TestLog.c, .collection(.begun(epoch: 1)))
        let before = log.tree.state().time
        let late = try log.made(TestLog.b, .file(2, "b", 20))
        let isVoid = try ContainerReducer().isVoid(late, in: log.tree)
        #expect(isVoid)
        let result = try log.fold(late)
        #expect(result == FoldResult(isRefused: true))
        #expect(log.item(2) == nil)
        #expect(log.tree.state().time == before)
        #expect(log.tree.lastSequence(of: TestLog.b) == late.deviceSequence)
        let edit = try log.made(TestLog.b, .edit(1, from: 10, to: 11, at: 9))
        let edited = try log.fold(edit)
        #expect(edited.isRefused, "an edit brings contents too")
        #expect(log.contents(1) == [10])
        #expect(try !fold(&log, knowing: 1).isRefused, "the next batch of the device counts again")
    }

    @Test("A batch that brings no contents is never refused for a collection")
    func withoutContents() throws {
        var log = try TestLog()
        try log.file(1, "a", 10)
        try log.append(TestLog.c, .collection(.proposed(epoch: 1, list: list)), .collection(.begun(epoch: 1)))
        let empty = ContentReference(digest: .sample(0), size: 0, layout: .empty)
        let result = try log.append(
            TestLog.b, .folder(2, "d"), .move(1, to: .sample(2), "b"), .announcement(3, "n", size: 7),
            .setAttributes(.sample(1), AttributeChanges(permissions: 0o600)),
            .setValue(key: "k", value: [1], time: .zero),
            .create(.sample(4), parent: .root, name: "e", attributes: .sample(), body: .file(.stored(empty))),
            .collection(.proposed(epoch: 2, list: list)), .delete(1, 10))
        #expect(!result.isRefused)
        #expect(log.item(1)?.isDeleted == true)
        #expect(log.tree.collectionEpochs().proposed == 2)
    }

    @Test("A batch that begins a collection may bring contents with it")
    func begunWithContents() throws {
        var log = try log(.proposed(epoch: 1, list: list))
        let result = try log.append(TestLog.a, .collection(.begun(epoch: 1)), .file(1, "a", 10))
        #expect(!result.isRefused)
        #expect(log.isLive(1))
    }

    private func fold(_ log: inout TestLog, knowing epoch: UInt64) throws -> FoldResult {
        var batch = try log.made(TestLog.a, .file(log.tree.state().sequence.value + 100, "f", 30))
        batch.collection = epoch
        return try log.fold(batch)
    }
}

extension TestLog {
    fileprivate func madeAlone() throws -> ChangeBatch {
        ChangeBatch(device: TestLog.a, deviceName: "d", deviceSequence: 1, time: .zero, changes: [.file(1, "x", 1)])
    }
}
