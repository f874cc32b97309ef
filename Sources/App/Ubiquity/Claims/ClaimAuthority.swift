import Coordination

/// Who decides who may read and write what: the daemon of a mount for everything in it, this process for all else.
protocol ClaimAuthority: AnyObject, Sendable {
    /// Requests all of these accesses together. The outcome is delivered once, perhaps before this returns, on any thread, which must not be
    /// held up.
    func open(
        _ accesses: [PathAccess], _ terms: ClaimTerms,
        _ outcome: @escaping @Sendable (Result<GrantedClaim, CoordinationFailure>) -> Void
    ) -> ClaimTicket

    /// Asks for something, and lends the calling thread until that is done: it may read the answer on that thread.
    func ask(_ body: () -> Void, until isDone: () -> Bool)

    /// Presenters are identified by the agents that serve them. Returns once accesses of others ask the presenter.
    func add(_ agent: PresenterAgent, at path: String)
    func remove(_ agent: PresenterAgent)
    func answer(_ question: UInt64, failure: String?)
    /// The program has moved an item.
    func moved(_ path: String, to newPath: String)
    /// The program has moved an item to another authority.
    func left(_ path: String)
}

extension ClaimAuthority {
    func ask(_ body: () -> Void, until isDone: () -> Bool) { body() }
}
