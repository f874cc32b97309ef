import CloudModel
import CloudProtocol
import ContainerLog
import Foundation
import ServerStorage
import ServerSupport
import Testing

@Suite("The server's end of the change feed", .eachEngine, .timeLimit(.minutes(10)))
struct ChangeFeedTests {
    @Test("an append wakes a waiting request, which sees it; changes of other accounts do not count")
    func wakes() async throws {
        try await withStore { store in
            let (anna, berta) = (try await store.newAccount("anna"), try await store.newAccount("berta"))
            let before = try await store.changes.latest(of: anna)
            #expect(before.containers == ["CloudDocs": 0])
            async let waiting: Void = store.changes.wait(for: anna, after: before.revision)
            _ = try await store.logs.append([1], key: nil, to: .cloudDocs, of: berta)
            #expect(try await store.changes.latest(of: anna) == before)
            _ = try await store.logs.append([1], key: nil, to: .cloudDocs, of: anna)
            await waiting
            let after = try await store.changes.latest(of: anna)
            #expect(after.containers == ["CloudDocs": 1])
            #expect(after.revision > before.revision)
        }
    }

    @Test("a request with an old revision is answered at once, and revisions from before a restart are still valid")
    func restart() async throws {
        try await withFolder { path in
            var account = AccountID(0)
            var revision: UInt64 = 0
            try await withStore(at: path) { store in
                account = try await store.newAccount("anna")
                _ = try await store.logs.append([1], key: nil, to: .cloudDocs, of: account)
                revision = try await store.changes.latest(of: account).revision
                await store.changes.wait(for: account, after: revision - 1)
            }
            try await withStore(at: path) { store in
                let event = try await store.changes.latest(of: account)
                #expect(event.revision == revision)
            }
        }
    }

    @Test(
        "an append by an owner's command is in the feed once the database is read, and a container it emptied is empty"
    )
    func fromAnotherProcess() async throws {
        try await withFolder { path in
            try await withStore(at: path) { store in
                let account = try await store.newAccount("anna")
                var documents = Documents(store, account, seed: 1)
                let content = documents.content(chunks: 1)
                try await documents.put(content.parts)
                _ = try await documents.create(content.reference)
                let before = try await store.changes.latest(of: account)
                async let waiting: Void = store.changes.wait(for: account, after: before.revision)
                let other = try ServerStore(.test(path), serving: false, log: quiet)
                var random = SystemRandomNumberGenerator()
                for author in [LogAuthor.owner(using: &random), .owner(using: &random)] {
                    try await other.trees.append(to: .cloudDocs, of: account, by: author) { view in
                        let items = try await view.tree.next(of: DescendantWalk(below: .root), limit: .max).items
                        let gone = items.filter { !$0.id.isWellKnown }.map { Change.delete($0.id, base: $0.content) }
                        return (gone.isEmpty ? [] : [gone], ())
                    }
                }
                let left = try await other.trees.wholeView(of: .cloudDocs, of: account).tree.children(
                    of: .documents, from: 0, limit: 9
                ).items.count
                try await other.close()
                #expect(left == 0)
                #expect(try FileManager.default.contentsOfDirectory(atPath: "\(path)/temporary") == [])
                // PostgreSQL notifies the process; of an embedded server only the database knows.
                if StorageEngine.current == .sqlite {
                    #expect(try await store.changes.latest(of: account) == before)
                    try await store.changes.refresh(account)
                }
                await waiting
                #expect(try await store.changes.latest(of: account).containers == ["CloudDocs": 2])
            }
        }
    }

    @Test("waiting ends when the server ends, and when the caller is cancelled")
    func ends() async throws {
        try await withStore { store in
            let account = try await store.newAccount("anna")
            let revision = try await store.changes.latest(of: account).revision
            let cancelled = Task { await store.changes.wait(for: account, after: revision) }
            cancelled.cancel()
            await cancelled.value
            async let waiting: Void = store.changes.wait(for: account, after: revision)
            store.changes.close()
            await waiting
            await store.changes.wait(for: account, after: revision)
        }
    }
}
