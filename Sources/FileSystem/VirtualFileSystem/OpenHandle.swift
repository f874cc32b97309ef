package import Synchronization

/// What `open(2)` gave a program.
package final class OpenHandle: Sendable {
    package let file: OpenFile
    package let canWrite: Bool
    /// The kernel writes through it by itself.
    package let isWrittenByKernel = Atomic(false)

    init(file: OpenFile, canWrite: Bool) {
        self.file = file
        self.canWrite = canWrite
    }
}
