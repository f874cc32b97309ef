/// What the administrator of the machine should know; goes to the log.
package enum ClaimReport: Equatable, Sendable {
    /// It did not answer in time; it is not waited for again before it answers.
    case presenterSilent(PresenterID, ClaimID)
    /// It waits, inside a callback, for what the claim would do: asking it would never end.
    case presenterPassedOver(PresenterID, ClaimID)
    /// The claim of a client that was frozen for too long.
    case claimRevoked(ClaimID, ClientID)
}
