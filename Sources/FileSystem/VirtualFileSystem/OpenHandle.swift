import Basics
import LocalMetadata
package import Synchronization

/// The handle returned to a program by `open(2)`.
package final class OpenHandle: Sendable {
    package let file: OpenFile
    package let canWrite: Bool
    /// The download permit for reads through it, with the program.
    package let permit: DownloadPermit
    /// The first bytes of a document opened for a look as a placeholder; nil for other opens.
    private let head: ContentHead?
    /// Whether the kernel writes through it directly.
    package let isWrittenByKernel = Atomic(false)
    /// Where the furthest read ended; 0 without a read. Noted only for watched programs.
    private let end = Atomic<UInt64>(0)

    init(file: OpenFile, canWrite: Bool, permit: DownloadPermit = .full, head: ContentHead? = nil) {
        self.file = file
        self.canWrite = canWrite
        self.permit = permit
        self.head = head
    }

    /// Whether a read may end before its range does, as on a pipe. Then the kernel has to pass each read on: from
    /// cached reads it would conclude that the file is shorter.
    package var hasShortReads: Bool { head != nil }

    /// Returns the bytes for an immediate read of a missing range, fewer than requested; nil if the read has to wait. A
    /// program needing more reads on, and gets it.
    package func look(at range: Range<UInt64>) -> [UInt8]? { range == 0..<LookStyle.shortSize ? head?.bytes : nil }

    /// Notes a read, for ``reading``.
    package func noteRead(_ range: Range<UInt64>) {
        if permit.isWatched { end.max(range.upperBound, ordering: .relaxed) }
    }

    /// A watched program's reads, through this handle, of a document that was a placeholder when opened; nil otherwise.
    package var reading: DownloadBreaker.Reading? {
        guard permit.isWatched, !canWrite else { return nil }
        return file.state.withLock { state in
            guard let size = state.incomplete?.row.size else { return nil }
            return DownloadBreaker.Reading(file.node, size: size, end: end.load(ordering: .relaxed))
        }
    }
}
