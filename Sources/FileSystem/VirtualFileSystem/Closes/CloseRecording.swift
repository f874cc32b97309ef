/// When the row of a file is updated whose last writer has closed it. No program waits for that: the kernel sends the request after the
/// program's close(2) has returned.
package enum CloseRecording: Sendable {
    /// In a transaction of its own, before ``VirtualFileSystem/release(_:)`` returns.
    case immediate
    /// In the next transaction that changes the tree; if there is none, in one that `later` runs: it has to call its argument a moment
    /// later, on another thread.
    case gathered(later: @Sendable (@escaping @Sendable () -> Void) -> Void)
}
