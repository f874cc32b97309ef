struct Client: Sendable {
    var claims: Set<ClaimID> = []
    var presenters: Set<PresenterID> = []
    /// The time since which it has been frozen.
    var frozenSince: Duration?

    var isUnused: Bool { claims.isEmpty && presenters.isEmpty && frozenSince == nil }
}
