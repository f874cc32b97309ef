/// Decides whose turn it is to use an exclusive resource. Pure: events in, the ticket whose turn it is out.
///
/// Keys take turns: however many tickets of one key wait, a different key's ticket waits for at most one turn of each.
/// Within a key, tickets are served in order of arrival.
struct FairQueue<Key: Hashable & Sendable>: Sendable {
    enum Verdict: Hashable {
        case granted(UInt64)
        case waiting(UInt64)
        /// Too many tickets wait already, for this key or in total.
        case refused
    }

    private let maximumWaiting: Int
    private let maximumPerKey: Int
    private var tickets: UInt64 = 0
    private var running: UInt64?
    private var waiting: [Key: [UInt64]] = [:]
    /// Keys with waiting tickets, the next one first.
    private var order: [Key] = []

    init(maximumWaiting: Int, maximumPerKey: Int) {
        self.maximumWaiting = maximumWaiting
        self.maximumPerKey = maximumPerKey
    }

    var waitingCount: Int { waiting.values.reduce(0) { $0 + $1.count } }

    mutating func enter(_ key: Key) -> Verdict {
        tickets += 1
        guard running != nil else {
            running = tickets
            return .granted(tickets)
        }
        guard waiting[key]?.count ?? 0 < maximumPerKey, waitingCount < maximumWaiting else { return .refused }
        if waiting[key] == nil { order.append(key) }
        waiting[key, default: []].append(tickets)
        return .waiting(tickets)
    }

    /// Ends a turn, or cancels waiting for it.
    ///
    /// - Returns: The ticket whose turn it is now, if that changed.
    mutating func leave(_ ticket: UInt64) -> UInt64? {
        guard running == ticket else {
            remove(ticket)
            return nil
        }
        running = nil
        guard let key = order.first, let next = waiting[key]?.first else { return nil }
        order.removeFirst()
        waiting[key]?.removeFirst()
        if waiting[key]?.isEmpty ?? true { waiting[key] = nil } else { order.append(key) }
        running = next
        return next
    }

    func isRunning(_ ticket: UInt64) -> Bool { running == ticket }

    private mutating func remove(_ ticket: UInt64) {
        for (key, tickets) in waiting where tickets.contains(ticket) {
            let rest = tickets.filter { $0 != ticket }
            waiting[key] = rest.isEmpty ? nil : rest
            if rest.isEmpty { order.removeAll { $0 == key } }
        }
    }
}
