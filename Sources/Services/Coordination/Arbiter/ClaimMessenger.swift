/// Sends the arbiter's decisions to clients. The arbiter calls it in the order of its decisions, one call at a time, without holding a lock;
/// each call returns soon.
package protocol ClaimMessenger: Sendable {
    func send(_ message: PresenterDelivery, to presenter: PresenterID, of client: ClientID)
    /// The client was frozen for too long: its claim has ended.
    func revoke(_ claim: ClaimID, of client: ClientID)
    func report(_ report: ClaimReport)
}
