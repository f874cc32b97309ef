/// When a file's row is updated after its last writer's close. No program waits for that: the kernel sends the request
/// after the program's close(2) has returned.
package enum CloseRecording: Sendable {
    /// In a separate transaction, before ``VirtualFileSystem/release(_:)`` returns.
    case immediate
    /// In the next transaction to change the tree; without one, in a transaction run by `later`, which has to call its
    /// argument a moment later, on a different thread.
    case gathered(later: @Sendable (@escaping @Sendable () -> Void) -> Void)
}
