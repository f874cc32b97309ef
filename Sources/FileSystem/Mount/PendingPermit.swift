/// A permit that is not granted yet. Given up unless a callback is registered.
package protocol PendingPermit: Sendable {
    /// Tells once, on any thread and perhaps before this returns, what became of it. Whoever is told must not do more than pass it on.
    func whenOver(_ body: @escaping @Sendable (PermitOutcome) -> Void)
    /// Ends the wait: the callback gets `givenUp`, unless the permit was granted before.
    func giveUp()
}
