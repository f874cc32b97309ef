/// A question to a presenter for the sake of a claim.
struct Ask: Sendable {
    let presenter: PresenterID
    let claim: ClaimID
    let messages: [PresenterMessage]
    var isAnswered = false
    /// No claim waits for the answer any more, but the presenter must be notified when the access ends.
    var isClaimOver = false

    var needsReacquire: Bool { messages.contains(where: \.isRelinquish) }
}
