/// Decides which transfer of a direction may begin next at a limited rate. Pure.
///
/// Bytes for a waiting reader go first, and wait for ``longestDemand`` at most: a read must not fail because of the
/// limit. Then the order of arrival counts, with large transfers put ``precedence`` later: a small document does not
/// wait for all pieces of a large one, and the large one waits for a limited number of small ones.
struct ThrottleQueue: Sendable {
    struct Request: Sendable {
        let number: UInt64
        let bytes: Int
        var priority: TransferPriority
        let since: Duration
    }

    static let longestDemand = Duration.seconds(5)
    static let precedence = Duration.seconds(10)
    /// The maximum size of a small transfer.
    static let smallBytes = 64 << 10

    private var bucket = ByteBucket()
    private var waiting: [Request] = []

    var rate: UInt64? { bucket.rate }
    var count: Int { waiting.count }

    mutating func setRate(_ rate: UInt64?, at now: Duration) { bucket.setRate(rate, at: now) }

    mutating func ask(_ number: UInt64, bytes: Int, _ priority: TransferPriority, at now: Duration) {
        waiting.append(Request(number: number, bytes: bytes, priority: priority, since: now))
    }

    /// - Returns: Whether the request still waited.
    mutating func withdraw(_ number: UInt64) -> Bool {
        let count = waiting.count
        waiting.removeAll { $0.number == number }
        return waiting.count < count
    }

    /// Notes that a reader now waits for the bytes of a request.
    mutating func promote(_ number: UInt64) {
        for index in waiting.indices where waiting[index].number == number { waiting[index].priority = .demand }
    }

    /// Corrects the estimated cost of a request that has passed, once the actual cost is known.
    mutating func correct(_ estimated: Int, to actual: Int, at now: Duration) {
        let excess = actual.subtractingReportingOverflow(estimated)
        guard !excess.overflow else { return }
        if excess.partialValue > 0 {
            bucket.take(excess.partialValue, at: now)
        } else {
            bucket.giveBack(estimated - actual)
        }
    }

    /// Returns the next request allowed to begin now; call again until it returns nil.
    mutating func grant(at now: Duration) -> UInt64? {
        guard let index = waiting.indices.min(by: { order(waiting[$0]) < order(waiting[$1]) }) else { return nil }
        let request = waiting[index]
        guard bucket.isReady(at: now) || isLate(request, now) else { return nil }
        bucket.take(request.bytes, at: now)
        waiting.remove(at: index)
        return request.number
    }

    /// How long until ``grant(at:)`` can return a request; nil while none waits.
    mutating func wait(at now: Duration) -> Duration? {
        guard let first = waiting.min(by: { order($0) < order($1) }) else { return nil }
        let wait = bucket.wait(at: now)
        guard first.priority == .demand else { return wait }
        return max(.zero, min(wait, first.since + Self.longestDemand - now))
    }

    /// How long these bytes take at this rate.
    func time(for bytes: Int) -> Duration { bucket.time(for: bytes) }

    private func isLate(_ request: Request, _ now: Duration) -> Bool {
        request.priority == .demand && now - request.since >= Self.longestDemand
    }

    private func order(_ request: Request) -> (Int, Duration, UInt64) {
        let isDemand = request.priority == .demand
        let delay = isDemand || request.bytes <= Self.smallBytes ? .zero : Self.precedence
        return (isDemand ? 0 : 1, request.since + delay, request.number)
    }
}
