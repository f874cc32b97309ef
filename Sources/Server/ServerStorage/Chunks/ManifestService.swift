import Basics
import Chunking
import CloudModel
import Glibc
import NIOPosix
import Synchronization

/// Where manifests are read: one at a time, accounts by turns, on threads that give way to all others. So a frame that is small and
/// inflates to 64 MiB costs the others nothing that they notice, and no more than a few of them are in memory at any moment.
final class ManifestService: Sendable {
    /// What became of reading one.
    enum Outcome: Sendable {
        case list(ManifestList)
        /// The frame is gone, or is not what was put there: it has to be put again.
        case unreadable
        /// The bytes are what was put there, and no manifest.
        case none
    }

    /// Manifests are cached up to so many bytes: a content that is sent or scanned is decoded once as a rule.
    private static let cacheBytes = 64 << 20
    private let files: ChunkFiles
    private let mutex = FairAsyncMutex(maximumWaiting: 1_024, maximumPerAccount: 64)
    private let cache = Mutex(ManifestCache(limit: cacheBytes))
    private let allowance = Mutex(InflationAllowance())
    private let start = ContinuousClock.now
    private let threads: NIOThreadPool
    /// How many were read and decompressed so far.
    private let reads = Atomic<Int>(0)
    var readCount: Int { reads.load(ordering: .relaxed) }

    init(_ files: ChunkFiles, _ threads: NIOThreadPool) {
        self.files = files
        self.threads = threads
    }

    /// Reads one, or has it from before unless it `mustRead`.
    /// - Parameter account: whose turn is used; what the server does for itself has numbers of its own.
    /// - Throws: `busy` where too much waits, `unsupported` for what a newer version wrote.
    func read(_ place: ChunkPlace, for account: AccountID, mustRead: Bool = false) async throws -> Outcome {
        try await mutex.run(for: account) {
            try Task.checkCancellation()
            if !mustRead, let known = cache.withLock({ $0.list(of: place) }) { return .list(known) }
            reads.add(1, ordering: .relaxed)
            let outcome = try await onThread { [files] in try Self.load(place, files) }
            if case .list(let list) = outcome { cache.withLock { $0.keep(list, of: place) } }
            return outcome
        }
    }

    /// What frames claim to inflate to, in bytes; 0 for those that can not be read.
    func plainLengths(of places: [ChunkPlace]) async throws -> [Int] {
        try await onThread { [files] in
            try places.map { place in
                do {
                    let head = try files.read(place, 0..<min(place.size, ChunkFrame.headerLength)) ?? []
                    return try ChunkFrame.plainLength(of: head)
                } catch is ChunkError { return 0 } catch let error as StorageError {
                    guard error.code == .damaged else { throw error }
                    return 0
                }
            }
        }
    }

    /// Takes so many bytes of what the account may have decompressed now.
    func mayInflate(_ bytes: Int, for account: AccountID) -> Bool {
        let now = ContinuousClock.now - start
        return allowance.withLock { $0.take(bytes, for: account, now: now) }
    }

    private func onThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        do { return try await threads.runIfActive { try withLowPriority(body) } } catch { throw StorageError.of(error) }
    }

    private static func load(_ place: ChunkPlace, _ files: ChunkFiles) throws -> Outcome {
        do {
            guard let frame = try files.read(place, 0..<place.size) else { return .unreadable }
            let plain = try ChunkFrame.decode(frame, expecting: place.id)
            do { return .list(try ManifestList(checking: plain)) } catch {
                guard error.code == .tooNew else { return .none }
                throw error
            }
        } catch let error as ChunkError {
            guard error.code == .tooNew else { return .unreadable }
            throw StorageError(
                .unsupported,
                "The device writes contents in a form that this server does not know. Update ubiquity-server.",
                cause: error)
        } catch let error as StorageError {
            guard error.code == .damaged else { throw error }
            return .unreadable
        }
    }
}

/// Runs what takes the processor for a while on a thread that gives way to those which answer requests (setpriority(2): on Linux a thread
/// has a priority of its own). Where that is refused it runs all the same.
func withLowPriority<T>(_ body: () throws -> T) rethrows -> T {
    setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
    return try body()
}
