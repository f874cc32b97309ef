/// A cloud whose operations return before all of their work is done, such as notifying devices. Losing that work costs
/// only time.
package protocol WorkDeferring: CloudBackend {
    /// Waits for the deferred work of all operations before this call. Unfinished work is abandoned at the limit.
    func finishDeferredWork(within limit: Duration) async
}
