/// A permit that is not granted yet. Given up unless a callback is registered.
package protocol PendingPermit: Sendable {
    /// Calls back once with the outcome, on any thread and perhaps before this returns. The callback must only pass it on.
    func whenOver(_ body: @escaping @Sendable (PermitOutcome) -> Void)
    /// Ends the wait: the callback gets `givenUp`, unless the permit was granted before.
    func giveUp()
}
