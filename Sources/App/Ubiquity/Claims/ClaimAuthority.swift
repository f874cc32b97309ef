import Coordination

/// Who decides who may read and write what: the daemon of a mount for everything in it, this process for all else.
protocol ClaimAuthority: AnyObject, Sendable {
    /// Asks for all of these accesses together. The outcome is told once, perhaps before this returns, on any thread, which must not be
    /// held up.
    func open(
        _ accesses: [PathAccess], _ terms: ClaimTerms,
        _ outcome: @escaping @Sendable (Result<GrantedClaim, CoordinationFailure>) -> Void
    ) -> ClaimTicket

    /// Asks for something, and lends the calling thread until that is done: it may take the answer from whoever gives it.
    func ask(_ body: () -> Void, until isDone: () -> Bool)

    /// Presenters are known by the agents that serve them. Returns once others would ask it.
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

/// One item of a request, by its absolute path without symbolic links above it.
struct PathAccess: Hashable, Sendable {
    let path: String
    let mode: Access.Mode

    var isWriting: Bool { !Access(.item(ItemNumber(0)), mode).isReading }
}

/// In whose name something is asked for.
struct ClaimTerms: Sendable {
    let purpose: String
    let agent: PresenterAgent?
    let enclosure: Enclosure?
}

/// A request under way.
struct ClaimTicket: Sendable {
    /// Calls it off, unless it was granted.
    let cancel: @Sendable () -> Void
}

struct GrantedClaim: Sendable {
    /// Where the items are now, in the order asked for.
    let paths: [String]
    /// The authority's number of it.
    let number: UInt64
    /// All of the items are files that are here with all their bytes: nothing has to be looked at before they are read.
    var isWhole = false
    /// Ends it, perhaps after a wait for the daemon. A failure says that it had ended before.
    let finish: @Sendable () -> CoordinationFailure?
    /// Ends it before anything was done under it. Waits for nobody, so that who tells of outcomes may call it.
    let drop: @Sendable () -> Void
}

/// Why an access did not begin, or was not held to its end.
struct CoordinationFailure: Error, Sendable {
    enum Code: Sendable { case cancelled, gone, deadlock, busy, disconnected, unavailable, failed }

    let code: Code
    let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    static let cancelled = CoordinationFailure(.cancelled, "The access was cancelled before it began.")
}

extension CoordinationFailure {
    init(_ error: ClaimError) {
        let code: Code =
            switch error.code {
            case .cancelled: .cancelled
            case .deadlock: .deadlock
            case .itemGone: .gone
            case .timedOut, .presenterFailed, .presenterKeepsItem: .busy
            }
        self.init(code, error.message)
    }
}
