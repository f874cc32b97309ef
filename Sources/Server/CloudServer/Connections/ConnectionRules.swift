/// Decides when a connection has to end because of what its other end does not do: take the responses, or stop sending a body that no route
/// reads. Pure: parts of messages and times in, what to do out. Times only grow.
struct ConnectionRules {
    enum Action: Hashable {
        case none
        /// Nothing more is read, and the other end is shown that nothing more comes: it has the answer, and may read it yet.
        case stopReading
        case close
    }

    struct Limits: Hashable {
        /// A reader may pause for so long; besides that it takes at least ``ConnectionRules/slowest`` bytes a second.
        var patience = Duration.seconds(45)
        /// For so long what is left of a body may come that its answer did not wait for.
        var unreadPatience = Duration.seconds(10)

        /// How often to look.
        var interval: Duration { min(patience, unreadPatience) / 4 }
    }

    static let slowest = 2_048
    /// So much of such a body is read.
    static let unreadBytes = 64 << 10

    let limits: Limits
    /// Responses under way, in messages and bytes, since when without a pause, and what was taken since then.
    private var pending = 0
    private var busySince = Duration.zero
    private var taken = 0
    private var requestsEnded = 0
    private var responsesEnded = 0
    /// Since when an answer was sent whose body is still coming, and what may still come of it.
    private var unread: (since: Duration, bytes: Int)?
    private(set) var mayRead = true

    init(_ limits: Limits) { self.limits = limits }

    /// Whether ``check(now:)`` has something to look at.
    var isWatched: Bool { pending > 0 || unread != nil }
    var hasPending: Bool { pending > 0 }

    mutating func readBody(_ bytes: Int) -> Action {
        guard var rest = unread else { return .none }
        rest.bytes -= bytes
        unread = rest
        guard rest.bytes < 0, mayRead else { return .none }
        mayRead = false
        return .stopReading
    }

    mutating func readEnd() {
        requestsEnded += 1
        if requestsEnded >= responsesEnded { unread = nil }
    }

    mutating func writes(now: Duration) {
        if pending == 0 {
            busySince = now
            taken = 0
        }
        pending += 1
    }

    /// A part was taken by the other end's kernel at least.
    mutating func wrote(_ bytes: Int) {
        pending = max(0, pending - 1)
        taken += bytes
    }

    /// The end of an answer is written.
    mutating func writesEnd(now: Duration) {
        responsesEnded += 1
        if requestsEnded < responsesEnded { unread = (now, Self.unreadBytes) }
    }

    func check(now: Duration) -> Action {
        if let unread, now - unread.since >= limits.unreadPatience { return .close }
        let allowed = limits.patience + .seconds(Double(taken) / Double(Self.slowest))
        return pending > 0 && now - busySince >= allowed ? .close : .none
    }
}
