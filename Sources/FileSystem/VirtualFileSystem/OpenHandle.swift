import LocalMetadata
package import Synchronization

/// The handle that `open(2)` returned to a program.
package final class OpenHandle: Sendable {
    package let file: OpenFile
    package let canWrite: Bool
    /// What reads through it may download, and for whom.
    package let permit: DownloadPermit
    /// Whether the kernel writes through it by itself.
    package let isWrittenByKernel = Atomic(false)
    /// Where the furthest read ended; 0 without a read. Noted only for watched programs.
    private let end = Atomic<UInt64>(0)

    init(file: OpenFile, canWrite: Bool, permit: DownloadPermit = .full) {
        self.file = file
        self.canWrite = canWrite
        self.permit = permit
    }

    /// Notes a read, for ``reading``.
    package func noteRead(_ range: Range<UInt64>) {
        if permit.isWatched { end.max(range.upperBound, ordering: .relaxed) }
    }

    /// What a watched program has read through this handle of a document that was a placeholder when it was opened; nil for others.
    package var reading: DownloadBreaker.Reading? {
        guard permit.isWatched, !canWrite else { return nil }
        return file.state.withLock { state in
            guard let size = state.incomplete?.size else { return nil }
            return DownloadBreaker.Reading(file.node, size: size, end: end.load(ordering: .relaxed))
        }
    }
}
