import Coordination

/// In whose name something is asked for.
struct ClaimTerms: Sendable {
    let purpose: String
    let agent: PresenterAgent?
    let enclosure: Enclosure?
}
