/// A token bucket for bytes: as many a second as its rate, plus up to a second's unused bytes in a burst. Pure; the
/// caller passes the time.
///
/// A request passes as soon as the bucket has any bytes, however large the request is, and the bucket goes into debt.
/// So the average is exact without a limit on the size of requests.
struct ByteBucket: Sendable {
    /// Bytes a second; nil: everything passes.
    private(set) var rate: UInt64?
    /// Negative: a debt.
    private var balance: Double = 0
    private var refilled: Duration = .zero

    /// A debt beyond this is forgiven: it comes from readers, who do not wait for long, and would stop everything else.
    static let maximumDebt = 4.0 * 0x1p20
    /// No wait is longer, however low the rate.
    private static let longestWait = 1e6

    private var capacity: Double { rate.map { max(1, Double($0)) } ?? 0 }

    /// Changes the rate. Unused bytes and debts do not carry over to the new rate.
    mutating func setRate(_ rate: UInt64?, at now: Duration) {
        self.rate = rate
        balance = capacity
        refilled = now
    }

    /// Returns whether a request may pass now, without taking anything.
    mutating func isReady(at now: Duration) -> Bool {
        guard rate != nil else { return true }
        refill(now)
        return balance > 0
    }

    /// Takes bytes, also more than there are.
    mutating func take(_ bytes: Int, at now: Duration) {
        guard rate != nil else { return }
        refill(now)
        balance = max(-Self.maximumDebt, balance - Double(max(0, bytes)))
    }

    /// Gives back bytes that were taken and not used.
    mutating func giveBack(_ bytes: Int) {
        guard rate != nil else { return }
        balance = min(capacity, balance + Double(max(0, bytes)))
    }

    /// How long until ``isReady(at:)``; zero if it is.
    mutating func wait(at now: Duration) -> Duration {
        guard !isReady(at: now) else { return .zero }
        return .seconds(min(Self.longestWait, (1 - balance) / capacity))
    }

    /// How long these bytes take at this rate.
    func time(for bytes: Int) -> Duration {
        rate == nil ? .zero : .seconds(min(Self.longestWait, Double(max(0, bytes)) / capacity))
    }

    private mutating func refill(_ now: Duration) {
        // A clock that was set back neither adds nor takes bytes.
        balance = min(capacity, balance + max(0, (now - refilled) / .seconds(1)) * capacity)
        refilled = now
    }
}
