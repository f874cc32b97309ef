import Chunking
import CloudModel
import CloudProtocol
import NIOPosix

/// Checks that the frame put under a chunk's name holds the bytes of that name, by decompressing it.
///
/// A small frame may inflate to 64 MiB. So only one step is under way at a time, accounts take turns, steps run on
/// threads of low priority, and at most one inflated frame is in memory. A cancelled request ends between steps.
final class ChunkVerifier: Sendable {
    /// A step checks frames claiming to inflate to this many bytes in total, or a single frame.
    private static let stepBytes = 4 << 20
    private let mutex = FairAsyncMutex(maximumWaiting: 1_024, maximumPerAccount: 64)
    private let threads: NIOThreadPool

    init(_ threads: NIOThreadPool) { self.threads = threads }

    /// - Throws: `invalid` for a frame that is damaged or does not match its name, `busy` if too many requests wait.
    ///   Frames in a newer version's form pass: every reader checks a chunk again.
    func check(_ parts: [ChunkBatch.Part], for account: AccountID) async throws {
        let inflated = parts.reduce(0) { $0 + Self.claim($1) }
        guard parts.count == 1 || inflated <= CloudLimits.batchPlain else {
            throw StorageError(
                .tooLarge,
                "The chunks of a request may have at most \(CloudLimits.batchPlain) bytes when decompressed.")
        }
        var rest = parts[...]
        while !rest.isEmpty {
            try Task.checkCancellation()
            let step = rest.prefix(Self.count(rest))
            rest = rest.dropFirst(step.count)
            let isRight = try await mutex.run(for: account) {
                try await threads.runIfActive { withLowPriority { step.allSatisfy(Self.isRight) } }
            }
            guard isRight else {
                throw StorageError(.invalid, "The bytes of a chunk do not match its digest. Nothing was stored.")
            }
        }
    }

    /// Returns how many of the first frames form a step, at least one.
    private static func count(_ parts: ArraySlice<ChunkBatch.Part>) -> Int {
        var bytes = 0
        let count = parts.prefix { part in
            bytes += part.frame.count + claim(part)
            return bytes <= stepBytes
        }.count
        return max(1, count)
    }

    /// Returns the bytes to which a frame claims to inflate. An unreadable frame claims nothing, and costs nothing.
    private static func claim(_ part: ChunkBatch.Part) -> Int { (try? ChunkFrame.plainLength(of: part.frame)) ?? 0 }

    /// Whether a frame holds the bytes of its name. True for a frame in a newer version's form.
    static func isRight(_ part: ChunkBatch.Part) -> Bool {
        // Not a frame of this version: this server cannot read its contents.
        guard (try? ChunkFrame.plainLength(of: part.frame)) != nil else { return true }
        do {
            _ = try ChunkFrame.decode(part.frame, expecting: part.id)
            return true
        } catch { return false }
    }
}
