/// A permit not granted yet. Cancelled if no callback is registered.
package protocol PendingPermit: Sendable {
    /// Calls `body` once with the outcome, on any thread and perhaps before this returns. The callback must only pass
    /// the outcome on.
    func whenDecided(_ body: @escaping @Sendable (PermitOutcome) -> Void)
    /// Cancels the wait: the callback gets `cancelled`, unless the permit has already been granted.
    func cancel()
}
