import LocalMetadata
package import Synchronization

/// The handle that `open(2)` returned to a program.
package final class OpenHandle: Sendable {
    package let file: OpenFile
    package let canWrite: Bool
    /// What reads through it may download, and for whom.
    package let permit: DownloadPermit
    /// The first bytes of a document that was a placeholder when it was opened for a look; nil for other opens.
    private let head: ContentHead?
    /// Whether the kernel writes through it by itself.
    package let isWrittenByKernel = Atomic(false)
    /// Where the furthest read ended; 0 without a read. Noted only for watched programs.
    private let end = Atomic<UInt64>(0)

    init(file: OpenFile, canWrite: Bool, permit: DownloadPermit = .full, head: ContentHead? = nil) {
        self.file = file
        self.canWrite = canWrite
        self.permit = permit
        self.head = head
    }

    /// Whether a read may end before its range does, as on a pipe. Then the kernel has to pass reads on as programs make them: from cached
    /// ones it would conclude that the file is shorter.
    package var hasShortReads: Bool { head != nil }

    /// Returns the bytes that a read of the range returns at once although it is not here, fewer than were requested; nil if it has to wait.
    /// A program that wants more reads on, and gets it.
    package func look(at range: Range<UInt64>) -> [UInt8]? { range == 0..<LookStyle.shortSize ? head?.bytes : nil }

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
