import CloudModel
import ContainerLog
import NIOPosix

/// Turns of accounts at work requested in bulk, such as rows of thousands of names. Only a single piece of such work
/// runs at a time, and accounts alternate, so it delays the database's other readers and its writer by at most a piece.
/// Small requests do not wait.
final class BulkTurns: Sendable {
    /// The most names, rows or files of a small request.
    static let small = 500
    /// The most bytes of a small entry.
    static let smallEntry = 64 << 10

    private let rows = FairAsyncMutex(maximumWaiting: 1_024, maximumPerAccount: 64)
    private let files = FairAsyncMutex(maximumWaiting: 1_024, maximumPerAccount: 64)
    private let entries = FairAsyncMutex(maximumWaiting: 1_024, maximumPerAccount: 64)
    /// For processor-bound work.
    private let workers: NIOThreadPool

    init(_ workers: NIOThreadPool) { self.workers = workers }

    /// Runs a piece of a request that reads or writes `count` rows in total.
    ///
    /// - Throws: `busy` if too many such requests wait.
    func rows<T>(_ count: Int, of account: AccountID, _ body: () async throws -> T) async throws -> T {
        count <= Self.small ? try await body() : try await rows.run(for: account, body)
    }

    /// Writes `count` files at once.
    func files<T>(_ count: Int, of account: AccountID, _ body: () async throws -> T) async throws -> T {
        count <= Self.small ? try await body() : try await files.run(for: account, body)
    }

    /// Stores an entry of `count` bytes.
    func entry<T>(_ count: Int, of account: AccountID, _ body: () async throws -> T) async throws -> T {
        count <= Self.smallEntry ? try await body() : try await rows.run(for: account, body)
    }

    /// Decodes an entry; a long entry on a worker thread.
    ///
    /// - Returns: Nil for a payload that is not a batch. It has no meaning, and refers to nothing.
    func batch(of payload: [UInt8], for account: AccountID) async throws -> ChangeBatch? {
        guard payload.count > Self.smallEntry else { return try? ChangeBatch(decoding: payload) }
        return try await entries.run(for: account) {
            try await workers.runIfActive { withLowPriority { try? ChangeBatch(decoding: payload) } }
        }
    }
}
