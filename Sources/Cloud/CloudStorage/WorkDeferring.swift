/// A cloud whose operations return before all of their work is done, such as notifying other devices. Work that is lost costs time only.
package protocol WorkDeferring: CloudBackend {
    /// Waits until the deferred work of all operations before this call is done. What is not done within the limit is abandoned.
    func finishDeferredWork(within limit: Duration) async
}
