/// An event of interest to the machine's administrator; it is written to the log.
package enum ClaimReport: Equatable, Sendable {
    /// The presenter did not answer in time; no claim waits for it until it answers.
    case presenterSilent(PresenterID, ClaimID)
    /// The presenter waits, inside a callback, for the claim itself: waiting for its answer would never end.
    case presenterPassedOver(PresenterID, ClaimID)
    /// The claim of a client frozen for too long has ended.
    case claimRevoked(ClaimID, ClientID)
}
