import Coordination

/// The purpose and the presenter on whose behalf a claim is requested.
struct ClaimTerms: Sendable {
    let purpose: String
    let agent: PresenterAgent?
    let enclosure: Enclosure?
}
