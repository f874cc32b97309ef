struct Client: Sendable {
    var claims: Set<ClaimID> = []
    var presenters: Set<PresenterID> = []
    /// Since when it has not moved.
    var frozenSince: Duration?

    var isUnused: Bool { claims.isEmpty && presenters.isEmpty && frozenSince == nil }
}
