/// Decides when to end a connection because its peer does not read the responses, or keeps sending a body that no route
/// reads. Pure: message parts and times in, actions out. Times only grow.
struct ConnectionRules {
    enum Action: Hashable {
        case none
        /// Stop reading, and close the output so the peer sees that nothing more follows. The peer has the response and
        /// may still read it.
        case stopReading
        case close
    }

    struct Limits: Hashable {
        /// How long a reader may pause; otherwise it has to read at least ``ConnectionRules/slowest`` bytes per second.
        var patience = Duration.seconds(45)
        /// How long the rest of a body may still arrive after its response was sent without waiting for it.
        var unreadPatience = Duration.seconds(10)

        /// How often to call ``check(now:)``.
        var interval: Duration { min(patience, unreadPatience) / 4 }
    }

    static let slowest = 2_048
    /// How many bytes of such a body are read.
    static let unreadBytes = 64 << 10

    let limits: Limits
    /// Response parts under way, when they began to be under way without a pause, and the bytes written since then.
    private var pending = 0
    private var busySince = Duration.zero
    private var taken = 0
    private var requestsEnded = 0
    private var responsesEnded = 0
    /// Set after sending a response whose request body is still arriving: since when, and how many bytes may still
    /// arrive.
    private var unread: (since: Duration, bytes: Int)?
    private var hasStopped = false
    /// The number of request heads passed on, and of responses taken.
    private var requestsBegun = 0
    private var responsesTaken = 0

    init(_ limits: Limits) { self.limits = limits }

    /// Whether the next request may be handled: a connection handles a single request at a time, however many have
    /// arrived.
    var mayBegin: Bool { requestsBegun <= responsesTaken }

    /// Whether more may be read: nothing while an arrived request is being handled.
    var mayRead: Bool { !hasStopped && (mayBegin || requestsEnded < requestsBegun) }

    mutating func readHead() { requestsBegun += 1 }

    /// Records that the end of a response was taken, by at least the kernel.
    mutating func responseTaken() { responsesTaken += 1 }

    /// Whether ``check(now:)`` has something to look at.
    var isWatched: Bool { pending > 0 || unread != nil }
    var hasPending: Bool { pending > 0 }

    mutating func readBody(_ bytes: Int) -> Action {
        guard var rest = unread else { return .none }
        rest.bytes -= bytes
        unread = rest
        guard rest.bytes < 0, !hasStopped else { return .none }
        hasStopped = true
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

    /// Records that a part was written, i.e. accepted by at least the kernel.
    mutating func wrote(_ bytes: Int) {
        pending = max(0, pending - 1)
        taken += bytes
    }

    /// Records that the end of a response was written.
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
