import ServerStorage

/// Decides which requests may have bytes in memory. Pure: events in, tickets to resume out.
///
/// A claim gets its bytes at the beginning, like a response, or in steps, like an arriving body. Claims are served in
/// order of arrival, but an account that has used up its quarter does not hold up the rest. The last part of the memory
/// is reserved for the oldest arriving body: it can always complete, so partly granted bodies never wait for each
/// other.
struct MemoryLimiter {
    enum Verdict: Hashable {
        case granted(UInt64)
        case waiting(UInt64)
        /// Too many requests wait already.
        case refused
    }

    private struct Claim {
        let ticket: UInt64
        let account: AccountID
        var bytes: Int
        /// The additional bytes requested now; the claim continues once they are granted.
        var wanted: Int
        /// Whether it may request more.
        var isGrowing: Bool
    }

    private let limit: Int
    private let share: Int
    private let reserve: Int
    private let maximumWaiting: Int
    private var claims: [UInt64: Claim] = [:]
    /// Waiting tickets, in order of arrival.
    private var waiting: [UInt64] = []
    private(set) var used = 0
    private var usedBy: [AccountID: Int] = [:]
    private var tickets: UInt64 = 0

    /// - Parameter largest: The maximum size of a growing claim; this much is reserved for the oldest growing claim.
    init(limit: Int, largest: Int, maximumWaiting: Int) {
        self.limit = limit
        share = max(1, limit / 4)
        reserve = min(largest, share / 2)
        self.maximumWaiting = maximumWaiting
    }

    /// Requests memory. A request larger than the limit waits for all of the memory, and is served alone.
    mutating func request(_ bytes: Int, for account: AccountID, isGrowing: Bool = false) -> Verdict {
        tickets += 1
        let wanted = min(max(bytes, 1), limit)
        let claim = Claim(ticket: tickets, account: account, bytes: 0, wanted: wanted, isGrowing: isGrowing)
        claims[claim.ticket] = claim
        // A claim that lacks only memory is served before later ones; otherwise large claims would wait forever.
        let isHeldUp = waiting.contains { ticket in
            guard let other = claims[ticket] else { return false }
            return other.account == account || (other.bytes == 0 && isWithinShare(other))
        }
        if !isHeldUp, isFree(for: claim) {
            grant(claim.ticket)
            return .granted(claim.ticket)
        }
        let own = waiting.count { claims[$0]?.account == account }
        guard waiting.count < maximumWaiting, own < max(1, maximumWaiting / 4) else {
            claims[claim.ticket] = nil
            return .refused
        }
        waiting.append(claim.ticket)
        return .waiting(claim.ticket)
    }

    /// Requests `bytes` more for a growing claim that is not waiting. Returns false if it has to wait now.
    mutating func grow(_ ticket: UInt64, by bytes: Int) -> Bool {
        guard var claim = claims[ticket], claim.isGrowing, claim.wanted == 0 else { return true }
        claim.wanted = min(max(bytes, 1), limit)
        claims[ticket] = claim
        if isFree(for: claim) {
            grant(ticket)
            return true
        }
        waiting.append(ticket)
        return false
    }

    /// Declares that a claim will no longer grow.
    ///
    /// - Returns: The tickets now due.
    mutating func endGrowth(_ ticket: UInt64) -> [UInt64] {
        claims[ticket]?.isGrowing = false
        return turns()
    }

    /// Ends a claim, granted or waiting.
    ///
    /// - Returns: The tickets now due.
    mutating func release(_ ticket: UInt64) -> [UInt64] {
        waiting.removeAll { $0 == ticket }
        if let claim = claims.removeValue(forKey: ticket) { free(claim.bytes, of: claim.account) }
        return turns()
    }

    /// Reduces a granted claim to the bytes needed.
    ///
    /// - Returns: The tickets now due.
    mutating func shrink(_ ticket: UInt64, to bytes: Int) -> [UInt64] {
        guard let claim = claims[ticket], claim.wanted == 0, bytes < claim.bytes else { return [] }
        claims[ticket]?.bytes = max(bytes, 1)
        free(claim.bytes - max(bytes, 1), of: claim.account)
        return turns()
    }

    func isWaiting(_ ticket: UInt64) -> Bool { claims[ticket].map { $0.wanted > 0 } ?? false }

    private mutating func free(_ bytes: Int, of account: AccountID) {
        used -= bytes
        let rest = (usedBy[account] ?? 0) - bytes
        usedBy[account] = rest > 0 ? rest : nil
    }

    private mutating func turns() -> [UInt64] {
        var turns: [UInt64] = []
        // Partly granted claims are first: only completing them frees their memory.
        let order = waiting.filter { claims[$0]?.bytes ?? 0 > 0 } + waiting.filter { claims[$0]?.bytes ?? 0 == 0 }
        var passedOver: Set<AccountID> = []
        for ticket in order {
            guard let claim = claims[ticket] else { continue }
            if claim.bytes == 0, passedOver.contains(claim.account) { continue }
            if isFree(for: claim) {
                grant(ticket)
                turns.append(ticket)
            } else if claim.bytes == 0 {
                // The oldest claim that lacks only memory is next; otherwise large claims would wait forever.
                if isWithinShare(claim) { break }
                passedOver.insert(claim.account)
            }
        }
        waiting.removeAll { claims[$0]?.wanted ?? 0 == 0 }
        return turns
    }

    private mutating func grant(_ ticket: UInt64) {
        guard let claim = claims[ticket] else { return }
        claims[ticket]?.bytes = claim.bytes + claim.wanted
        claims[ticket]?.wanted = 0
        used += claim.wanted
        usedBy[claim.account, default: 0] += claim.wanted
    }

    private func isFree(for claim: Claim) -> Bool {
        let room = isOldest(claim) || claim.wanted > limit - reserve ? limit : limit - reserve
        return used + claim.wanted <= room && isWithinShare(claim)
    }

    private func isWithinShare(_ claim: Claim) -> Bool {
        let own = usedBy[claim.account] ?? 0
        // An account's only claim may be larger than a share; the oldest growing body may complete.
        guard own > claim.bytes else { return true }
        return own + claim.wanted <= (isOldest(claim, of: claim.account) ? share : share - reserve)
    }

    /// Whether the claim is the oldest growing claim, overall or of its account.
    private func isOldest(_ claim: Claim, of account: AccountID? = nil) -> Bool {
        guard claim.isGrowing else { return false }
        return !claims.values.contains {
            $0.isGrowing && $0.ticket < claim.ticket && (account == nil || $0.account == account)
        }
    }
}
