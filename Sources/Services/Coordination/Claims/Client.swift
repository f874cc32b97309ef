struct Client: Sendable {
    var claims: Set<ClaimID> = []
    var presenters: Set<PresenterID> = []
    /// The time at which it froze.
    var frozenSince: Duration?

    var isUnused: Bool { claims.isEmpty && presenters.isEmpty && frozenSince == nil }
}
