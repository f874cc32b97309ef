/// Sends the arbiter's decisions to clients. The arbiter calls it in the order of its decisions, one call at a time,
/// without holding a lock; each call must return soon.
package protocol ClaimMessenger: Sendable {
    func send(_ message: PresenterDelivery, to presenter: PresenterID, of client: ClientID)
    /// Notifies a client frozen for too long of its claim's end.
    func revoke(_ claim: ClaimID, of client: ClientID)
    func report(_ report: ClaimReport)
}
