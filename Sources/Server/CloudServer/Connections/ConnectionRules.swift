/// Decides when a connection has to end because its peer does not read the responses, or does not stop sending a body that no route reads.
/// Pure: parts of messages and times in, actions out. Times only grow.
struct ConnectionRules {
    enum Action: Hashable {
        case none
        /// Stop reading, and close the output so that the peer sees that nothing more follows. The peer has the response and may still read
        /// it.
        case stopReading
        case close
    }

    struct Limits: Hashable {
        /// How long a reader may pause; apart from that it has to read at least ``ConnectionRules/slowest`` bytes per second.
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
    /// Set once a response was sent whose request body is still arriving: since when, and how many bytes may still arrive.
    private var unread: (since: Duration, bytes: Int)?
    private var hasStopped = false
    /// Requests whose heads were passed on, and those whose responses were taken.
    private var requestsBegun = 0
    private var responsesTaken = 0

    init(_ limits: Limits) { self.limits = limits }

    /// Whether the next request may be handled: a connection has one request under way, whatever else its client has sent already.
    var mayBegin: Bool { requestsBegun <= responsesTaken }

    /// Whether more may be read: nothing while a request that has arrived is being handled.
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

    /// Records that a part was written, that is, accepted by at least the kernel.
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
