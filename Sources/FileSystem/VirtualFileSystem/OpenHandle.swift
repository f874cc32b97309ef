package import Synchronization

/// The handle that `open(2)` returned to a program.
package final class OpenHandle: Sendable {
    package let file: OpenFile
    package let canWrite: Bool
    /// What reads through it may download.
    package let allowance: DownloadAllowance
    /// Whether the kernel writes through it by itself.
    package let isWrittenByKernel = Atomic(false)

    init(file: OpenFile, canWrite: Bool, allowance: DownloadAllowance = .full) {
        self.file = file
        self.canWrite = canWrite
        self.allowance = allowance
    }
}
