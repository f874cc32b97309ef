/// A question that a presenter is asked on behalf of a claim.
struct Ask: Sendable {
    let presenter: PresenterID
    let claim: ClaimID
    let messages: [PresenterMessage]
    var isAnswered = false
    /// Whether no claim waits for the answer any more; the presenter must still be notified when the access ends.
    var isClaimOver = false

    var needsReacquire: Bool { messages.contains(where: \.isRelinquish) }
}
