import Basics
import CloudModel
import CloudProtocol
import ContainerLog
import Foundation
import GRDB
import ServerStorage
import ServerSupport
import TestSupport
import Testing

/// A mistake in any of these deletes chunks of living documents.
@Suite("One folded log for the console and for collecting", .eachEngine, .timeLimit(.minutes(10)))
struct OneTreeTests {
    private static let day = Duration.seconds(86_400)

    /// A container with a document, its conflict, a replaced content, and chunks without an entry.
    private struct Scene {
        var documents: Documents
        let live: [ChunkBatch.Part]
        let replaced: [ChunkBatch.Part]
        let garbage: [ChunkBatch.Part]
        let item: ItemID

        /// Everything is older than an upload may take, and no content was replaced 30 days ago.
        init(_ store: ServerStore, _ time: SettableTime, _ between: () async throws -> Void = {}) async throws {
            var documents = Documents(store, try await store.newAccount("anna"), seed: 1)
            let contents = (0..<5).map { _ in documents.content(chunks: 2) }
            for content in contents { try await documents.put(content.parts) }
            item = try await documents.create(contents[0].reference)
            _ = try await documents.create(contents[1].reference)
            time.advance(by: OneTreeTests.day * 20)
            try await between()
            for (content, base) in [
                (contents[2], contents[0].reference.digest), (contents[3], contents[0].reference.digest),
            ] {
                try await documents.append(
                    [.edit(item, base: base, content: .stored(content.reference), modified: .zero)], device: 3)
            }
            #expect(documents.tree.item(item)?.conflicts.count == 1)
            time.advance(by: OneTreeTests.day * 20)
            live = contents[1...3].flatMap(\.parts)
            (replaced, garbage) = (contents[0].parts, contents[4].parts)
            self.documents = documents
        }

        func expectKept(_ parts: [ChunkBatch.Part], in store: ServerStore, _ comment: Comment) async throws {
            let isThere = try await store.holds(parts, of: documents.account)
            #expect(isThere, comment)
        }

        func expectGone(_ parts: [ChunkBatch.Part], in store: ServerStore, _ comment: Comment) async throws {
            for part in parts {
                let place = try await store.chunks.place(of: part.id, in: .cloudDocs, of: documents.account)
                #expect(place == nil, comment)
            }
        }

        /// Collects, and checks that all needed data stayed and that collections continue.
        func expectSafe(in store: ServerStore, at time: SettableTime, _ comment: Comment) async throws {
            _ = try await store.collectNow()
            try await expectKept(live + replaced, in: store, comment)
            // A damaged file was left alone and is created again.
            let report = try await store.collectNow()
            #expect(report.skipped.isEmpty, comment)
            try await expectKept(live + replaced, in: store, comment)
            try await expectGone(garbage, in: store, comment)
            let item = try await store.trees.wholeView(of: .cloudDocs, of: documents.account).tree.item(item)
            #expect(item == documents.tree.item(self.item), comment)
            time.advance(by: OneTreeTests.day * 31)
            _ = try await store.collectNow()
            try await expectKept(live, in: store, comment)
            try await expectGone(replaced, in: store, comment)
        }
    }

    /// Creates a scene, closes the store, changes the folded file, and expects that nothing is lost.
    private func expectSafe(
        after comment: Comment, viewed: Bool = true, _ change: (_ path: String, _ file: String) throws -> Void
    ) async throws {
        let time = SettableTime()
        try await withFolder { path in
            var scene: Scene?
            try await withStore(at: path, time: time) { store in
                scene = try await Scene(store, time) {
                    guard !viewed else { return }
                    // The file then holds an earlier state.
                    _ = try await store.trees.wholeView(of: .cloudDocs, of: AccountID(1))
                }
                if viewed { _ = try await store.trees.wholeView(of: .cloudDocs, of: AccountID(1)) }
            }
            try change(path, foldedFile(in: path))
            try await withStore(at: path, time: time) { try await scene?.expectSafe(in: $0, at: time, comment) }
        }
    }

    @Test("a folded log that lags behind is folded to the end first")
    func behind() async throws {
        try await expectSafe(after: "behind", viewed: false) { _, _ in }
    }

    @Test("a folded log that is lost, or no database, is made again, and does not forget when contents were replaced")
    func lost() async throws {
        try await expectSafe(after: "lost") { _, file in try FileManager.default.removeItem(atPath: file) }
        try await expectSafe(after: "no database") { _, file in
            try Data(repeating: 7, count: 50_000).write(to: URL(filePath: file))
        }
        try await expectSafe(after: "empty") { _, file in try Data().write(to: URL(filePath: file)) }
    }

    @Test(
        "nothing is collected by a folded log in which a row is missing, differs, or cannot be read",
        arguments: [
            "DELETE FROM item WHERE digest IS NOT NULL", "DELETE FROM conflict", "DELETE FROM dropped",
            "UPDATE item SET isDeleted = 1 WHERE digest IS NOT NULL", "UPDATE item SET conflicts = 0",
            "UPDATE item SET digest = zeroblob(32) WHERE digest IS NOT NULL",
            "UPDATE item SET digest = NULL WHERE digest IS NOT NULL",
            "UPDATE item SET digest = x'0102' WHERE digest IS NOT NULL", "UPDATE item SET layout = 1, size = 1",
            "UPDATE conflict SET digest = zeroblob(32)", "UPDATE dropped SET at = 0",
            "UPDATE dropped SET digest = zeroblob(32)", "UPDATE dropped SET at = 'soon'",
            "UPDATE state SET neededSum = zeroblob(16)", "UPDATE state SET droppedSum = x''",
            "UPDATE state SET sequence = 1", "UPDATE state SET sequence = sequence + 1",
            "UPDATE state SET sequence = 0", "UPDATE state SET sequence = sequence - 1",
            "UPDATE state SET digest = zeroblob(32)", "DELETE FROM state",
        ])
    func damaged(sql: String) async throws {
        try await expectSafe(after: "\(sql)") { _, file in
            let queue = try DatabaseQueue(path: file)
            try queue.write { try $0.execute(sql: sql) }
            try queue.close()
        }
    }

    @Test("a page that reads a damaged row fails, and the next one has the log folded again")
    func damagedPage() async throws {
        let time = SettableTime()
        try await withFolder { path in
            try await withStore(at: path, time: time) { store in
                let scene = try await Scene(store, time)
                let view = try await store.trees.wholeView(of: .cloudDocs, of: AccountID(1))
                let queue = try DatabaseQueue(path: foldedFile(in: path))
                try await queue.write { try $0.execute(sql: "UPDATE item SET digest = NULL") }
                await #expect(throws: StorageError.self) { _ = try await view.tree.item(scene.item) }
                let item = try await store.trees.wholeView(of: .cloudDocs, of: AccountID(1)).tree.item(scene.item)
                #expect(item == scene.documents.tree.item(scene.item))
                try await scene.expectSafe(in: store, at: time, "damaged page")
            }
        }
    }

    @Test("a folded log of another version of the tables is made again")
    func otherVersion() async throws {
        for version in [0, 2, 1_000] {
            try await expectSafe(after: "version \(version)") { _, file in
                let queue = try DatabaseQueue(path: file)
                try queue.write {
                    try $0.execute(
                        sql: "DROP TABLE dropped; DELETE FROM item; PRAGMA user_version = \(version)")
                }
                try queue.close()
            }
        }
    }

    @Test(
        "a folded log whose write-ahead log was cut anywhere, as by kill -9 or a loss of power, is a prefix of the log")
    func halfWritten() async throws {
        let time = SettableTime()
        try await withFolder { path in
            var (scene, file, image, ahead): (Scene?, String, Data, Data) = (nil, "", Data(), Data())
            try await withStore(at: path, time: time) { store in
                scene = try await Scene(store, time) {
                    _ = try await store.trees.wholeView(of: .cloudDocs, of: AccountID(1))
                }
                _ = try await store.trees.wholeView(of: .cloudDocs, of: AccountID(1))
                file = try foldedFile(in: path)
                image = try Data(contentsOf: URL(filePath: file))
                ahead = try Data(contentsOf: URL(filePath: "\(file)-wal"))
            }
            #expect(ahead.count > 50_000)
            for length in stride(from: 0, through: ahead.count, by: max(1, ahead.count / 40)) {
                try image.write(to: URL(filePath: file))
                try ahead.prefix(length).write(to: URL(filePath: "\(file)-wal"))
                for stale in ["\(file)-shm"] where FileManager.default.fileExists(atPath: stale) {
                    try FileManager.default.removeItem(atPath: stale)
                }
                try await withStore(at: path, time: time) { store in
                    let comment: Comment = "\(length) bytes of the write-ahead log"
                    #expect(try await store.collectNow().skipped.isEmpty, comment)
                    if let scene { try await scene.expectKept(scene.live + scene.replaced, in: store, comment) }
                }
            }
            try await withStore(at: path, time: time) { store in
                try await scene?.expectSafe(in: store, at: time, "the end")
            }
        }
    }

    @Test("where the time at which contents were replaced is not known, it counts as now", .sqliteFileOnly)
    func unknownTime() async throws {
        let time = SettableTime()
        try await withFolder { path in
            try await withStore(at: path, time: time) { store in
                let scene = try await Scene(store, time)
                let database = try DatabaseQueue(path: "\(path)/server.sqlite")
                try await database.write { try $0.execute(sql: "UPDATE entry SET created = NULL") }
                time.advance(by: Self.day * 100)
                _ = try await store.collectNow()
                try await scene.expectKept(scene.live + scene.replaced, in: store, "at once")
                time.advance(by: Self.day * 31)
                _ = try await store.collectNow()
                try await scene.expectKept(scene.live, in: store, "later")
                try await scene.expectGone(scene.replaced, in: store, "later")
            }
        }
    }

    @Test("a log that lost an entry keeps everything, and does not show as complete", .sqliteFileOnly)
    func gap() async throws {
        let time = SettableTime()
        try await withFolder { path in
            try await withStore(at: path, time: time) { store in
                let scene = try await Scene(store, time)
                let database = try DatabaseQueue(path: "\(path)/server.sqlite")
                try await database.write { try $0.execute(sql: "DELETE FROM entry WHERE sequence = 2") }
                let report = try await store.collectNow()
                #expect(report.skipped.count == 1 && report.chunks == 0)
                try await scene.expectKept(scene.live + scene.replaced + scene.garbage, in: store, "gap")
                await #expect { _ = try await store.trees.wholeView(of: .cloudDocs, of: AccountID(1)) } throws: {
                    ($0 as? StorageError)?.code == .damaged
                }
            }
        }
    }

    @Test("entries that are longer than a page do not stop the folding")
    func longEntries() async throws {
        let time = SettableTime()
        try await withStore(time: time) { store in
            let account = try await store.newAccount("anna")
            let long = [UInt8](repeating: 1, count: CloudLimits.pageBytes + 1)
            for entry in [long, long, [1]] {
                _ = try await store.logs.append(entry, key: nil, to: .cloudDocs, of: account)
                let view = try await store.trees.view(of: .cloudDocs, of: account, patience: .seconds(60))
                #expect(view.isComplete)
            }
            #expect(try await store.collectNow().skipped.isEmpty)
        }
    }

    @Test("pages of the console, changes, and collections of two processes at once lose nothing and see one log")
    func together() async throws {
        let time = SettableTime()
        try await withFolder { path in
            try await withStore(at: path, time: time) { store in
                var scene = try await Scene(store, time)
                let account = scene.documents.account
                let command = try ServerStore(.test(path), serving: false, log: quiet, time: time)
                for round in 0..<6 {
                    let content = scene.documents.content(chunks: 2)
                    try await scene.documents.put(content.parts)
                    let base = scene.documents.tree.item(scene.item)?.body.content?.reference?.digest
                    async let collections = [store.collectNow(), command.collectNow()]
                    async let views: Void = withThrowingTaskGroup(of: Void.self) { group in
                        for reader in 0..<12 {
                            group.addTask {
                                let trees = reader.isMultiple(of: 2) ? store.trees : command.trees
                                let view = try await trees.wholeView(of: .cloudDocs, of: account)
                                let totals = try await view.tree.totals()
                                #expect(totals.files == 2 && view.isComplete)
                            }
                        }
                        try await group.waitForAll()
                    }
                    try await scene.documents.append(
                        [.edit(scene.item, base: base, content: .stored(content.reference), modified: .zero)])
                    try await views
                    let skipped = try await collections.flatMap(\.skipped)
                    #expect(skipped.isEmpty, "round \(round): \(skipped)")
                    time.advance(by: Self.day * 10)
                    let needed = try await store.collectNow()
                    #expect(needed.skipped.isEmpty)
                    let item = try await command.trees.wholeView(of: .cloudDocs, of: account).tree.item(scene.item)
                    #expect(item == scene.documents.tree.item(scene.item))
                    try await scene.expectKept(content.parts, in: store, "round \(round)")
                }
                try await command.close()
            }
        }
    }
}
