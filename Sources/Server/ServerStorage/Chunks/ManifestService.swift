import Basics
import Chunking
import CloudModel
import Glibc
import NIOPosix
import Synchronization

/// Reads manifests: one at a time, accounts by turns, on threads of low priority. So a small frame inflating to 64 MiB
/// does not slow other requests noticeably, and only a few manifests are in memory at any moment.
final class ManifestService: Sendable {
    /// The result of reading a manifest.
    enum Outcome: Sendable {
        case list(ManifestList)
        /// The frame is missing or corrupt: it has to be put again.
        case unreadable
        /// The bytes are intact, but not a manifest.
        case none
    }

    /// The size of the cache in bytes. Enough for a sent or scanned content to be decoded only once, as a rule.
    private static let cacheBytes = 64 << 20
    private let objects: any ChunkObjects
    private let mutex = FairAsyncMutex(maximumWaiting: 1_024, maximumPerAccount: 64)
    private let cache = Mutex(ManifestCache(limit: cacheBytes))
    private let allowance = Mutex(InflationAllowance())
    private let start = ContinuousClock.now
    private let threads: NIOThreadPool
    /// The number of manifests read and decompressed so far.
    private let reads = Atomic<Int>(0)
    var readCount: Int { reads.load(ordering: .relaxed) }

    init(_ objects: any ChunkObjects, _ threads: NIOThreadPool) {
        self.objects = objects
        self.threads = threads
    }

    /// Reads a manifest, from the cache unless `mustRead`.
    ///
    /// - Parameter account: The account whose turn is used; the server's own work uses separate numbers.
    /// - Throws: `busy` if too many requests wait, `unsupported` for a manifest written by a newer version.
    func read(_ place: ChunkPlace, for account: AccountID, mustRead: Bool = false) async throws -> Outcome {
        try await mutex.run(for: account) {
            try Task.checkCancellation()
            if !mustRead, let known = cache.withLock({ $0.list(of: place) }) { return .list(known) }
            reads.add(1, ordering: .relaxed)
            let outcome = try await load(place)
            if case .list(let list) = outcome { cache.withLock { $0.keep(list, of: place) } }
            return outcome
        }
    }

    /// Returns the bytes to which frames claim to inflate; 0 for unreadable frames.
    func plainLengths(of places: [ChunkPlace]) async throws -> [Int] {
        let heads = try await objects.heads(of: places, ChunkFrame.headerLength)
        return heads.map { head in
            do { return try ChunkFrame.plainLength(of: head) } catch { return 0 }
        }
    }

    /// Takes `bytes` from the account's allowance for decompression.
    func mayInflate(_ bytes: Int, for account: AccountID) -> Bool {
        let now = ContinuousClock.now - start
        return allowance.withLock { $0.take(bytes, for: account, now: now) }
    }

    private func onThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        do { return try await threads.runIfActive { try withLowPriority(body) } } catch { throw StorageError.of(error) }
    }

    private func load(_ place: ChunkPlace) async throws -> Outcome {
        do {
            guard let frame = try await objects.read(place, 0..<place.size) else { return .unreadable }
            return try await onThread { try Self.decode(frame, place.id) }
        } catch let error as StorageError {
            guard error.code == .damaged else { throw error }
            return .unreadable
        }
    }

    private static func decode(_ frame: [UInt8], _ id: ChunkID) throws -> Outcome {
        do {
            let plain = try ChunkFrame.decode(frame, expecting: id)
            do { return .list(try ManifestList(checking: plain)) } catch {
                guard error.code == .tooNew else { return .none }
                throw error
            }
        } catch let error as ChunkError {
            guard error.code == .tooNew else { return .unreadable }
            throw StorageError(
                .unsupported,
                "The device writes contents in a format that this server does not support. Update ubiquity-server.",
                cause: error)
        }
    }
}

/// Runs processor-bound work with a lower priority than the threads handling requests (setpriority(2): on Linux each
/// thread has a separate priority). If the priority cannot be set, runs it all the same.
func withLowPriority<T>(_ body: () throws -> T) rethrows -> T {
    setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
    return try body()
}
