import CloudModel
import CloudProtocol
import ServerStorage
import Testing

@Suite("News of a server", .timeLimit(.minutes(1)))
struct NewsTests {
    @Test("who waits is woken by an append, and sees it; changes of other accounts do not count")
    func wakes() async throws {
        try await withStore { store in
            let (anna, berta) = (try await store.newAccount("anna"), try await store.newAccount("berta"))
            let before = try await store.changes.news(of: anna)
            #expect(before.containers == ["CloudDocs": 0])
            async let waiting: Void = store.changes.wait(for: anna, after: before.revision)
            _ = try await store.append([1], key: nil, to: .cloudDocs, of: berta)
            #expect(try await store.changes.news(of: anna) == before)
            _ = try await store.append([1], key: nil, to: .cloudDocs, of: anna)
            await waiting
            let after = try await store.changes.news(of: anna)
            #expect(after.containers == ["CloudDocs": 1])
            #expect(after.revision > before.revision)
        }
    }

    @Test("a revision that is not the newest is answered at once, and one from before a restart is still known")
    func restart() async throws {
        try await withFolder { path in
            var account = AccountID(0)
            var revision: UInt64 = 0
            try await withStore(at: path) { store in
                account = try await store.newAccount("anna")
                _ = try await store.append([1], key: nil, to: .cloudDocs, of: account)
                revision = try await store.changes.news(of: account).revision
                await store.changes.wait(for: account, after: revision - 1)
            }
            try await withStore(at: path) { store in
                let news = try await store.changes.news(of: account)
                #expect(news.revision == revision)
            }
        }
    }

    @Test("waiting ends with the server, and when the caller is cancelled")
    func ends() async throws {
        try await withStore { store in
            let account = try await store.newAccount("anna")
            let revision = try await store.changes.news(of: account).revision
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
