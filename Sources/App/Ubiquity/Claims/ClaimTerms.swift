import Coordination

/// A claim request's purpose and presenter.
struct ClaimTerms: Sendable {
    let purpose: String
    let agent: PresenterAgent?
    let enclosure: Enclosure?
}
