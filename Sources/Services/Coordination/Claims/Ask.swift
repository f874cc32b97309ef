/// A question to a presenter on behalf of a claim.
struct Ask: Sendable {
    let presenter: PresenterID
    let claim: ClaimID
    let messages: [PresenterMessage]
    var isAnswered = false
    /// Whether no claim waits for the answer any longer; the presenter must still be notified when the access ends.
    var isClaimOver = false

    var needsReacquire: Bool { messages.contains(where: \.isRelinquish) }
}
