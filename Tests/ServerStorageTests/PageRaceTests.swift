import CloudModel
import CloudProtocol
import ServerSupport
import TestSupport
import Testing

@testable import ServerStorage

@Suite("Pages of a log that grows meanwhile", .eachEngine)
struct PageRaceTests {
    @Test("an entry that is appended while a page is read is in it or in the next one, and is not reported as lost")
    func appended() async throws {
        try await withStore { store in
            let account = try await store.newAccount("anna")
            let append = { @Sendable in
                try await store.logs.append([1], key: nil, to: .cloudDocs, of: account)
            }
            let database = DatabaseWithAWriter(base: store.logs.database) { _ = try await append() }
            let logs = LogStore(
                database: database, time: store.logs.time, chunks: store.logs.chunks, changes: store.logs.changes,
                requests: store.logs.requests)
            var found = 0
            for position in 0..<3 {
                let page = try await logs.page(
                    of: .cloudDocs, after: LogSequence(UInt64(found)), limit: 100, account: account)
                #expect(page.first == LogSequence(UInt64(found + 1)) && page.payloads.count <= position)
                found += page.payloads.count
            }
            #expect(found == 2)
        }
    }
}

/// A database that another device writes to after each read of one query.
private struct DatabaseWithAWriter: StorageDatabase {
    let base: any StorageDatabase
    let write: @Sendable () async throws -> Void

    var isRemote: Bool { base.isRemote }

    func read<T: Sendable>(_ body: @escaping @Sendable (any StorageTransaction) throws -> T) async throws -> T {
        try await base.read(body)
    }

    func readOnce<T: Sendable>(_ body: @escaping @Sendable (any StorageTransaction) throws -> T) async throws -> T {
        let result = try await base.readOnce(body)
        try await write()
        return result
    }

    func readAtOnce<T>(_ body: (any StorageTransaction) throws -> T) throws -> T { try base.readAtOnce(body) }

    func commit<T: Sendable>(
        _ scope: CommitScope, _ body: @escaping @Sendable (any StorageTransaction) throws -> T
    ) async throws -> T {
        try await base.commit(scope, body)
    }

    func acquire(_ lock: StorageLock, _ mode: StorageLock.Mode) async throws -> HeldLock? {
        try await base.acquire(lock, mode)
    }

    func isDurable() async throws -> Bool { try await base.isDurable() }
    func copy(to path: String) throws { try base.copy(to: path) }
    func close() throws {}
}
