import Coordination

/// Decides who may read and write an item: a mount's daemon for items in it, and this process for all others.
protocol ClaimAuthority: AnyObject, Sendable {
    /// Requests all of these accesses together. The outcome is delivered once, perhaps before this method returns, on
    /// any thread, which must not be blocked.
    func open(
        _ accesses: [PathAccess], _ terms: ClaimTerms,
        _ outcome: @escaping @Sendable (Result<GrantedClaim, CoordinationFailure>) -> Void
    ) -> ClaimTicket

    /// Runs `body` to send a request, and lends the calling thread until `isDone`: the authority may read the response
    /// on it.
    func ask(_ body: () -> Void, until isDone: () -> Bool)

    /// Presenters are identified by their agents. Returns once other accesses ask the presenter first.
    func add(_ agent: PresenterAgent, at path: String)
    func remove(_ agent: PresenterAgent)
    func answer(_ question: UInt64, failure: String?)
    /// Reports a move by the program.
    func moved(_ path: String, to newPath: String)
    /// Reports a move by the program to a new authority.
    func left(_ path: String)
}

extension ClaimAuthority {
    func ask(_ body: () -> Void, until isDone: () -> Bool) { body() }
}
