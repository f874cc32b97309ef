import ServerStorage

/// Decides whose bytes may be in memory. Pure: events in, tickets that may go on out.
///
/// A claim has bytes from the beginning, as an answer does, or gets them in steps, as a body does that is still coming. First come, first
/// served, but an account that has its quarter does not hold up the others. The last of the room is for the oldest body that is still
/// coming: it can always come to its end, so bodies that have a part each never wait for one another.
struct MemoryLimiter {
    enum Verdict: Hashable {
        case granted(UInt64)
        case waiting(UInt64)
        /// Too many wait already.
        case refused
    }

    private struct Claim {
        let ticket: UInt64
        let account: AccountID
        var bytes: Int
        /// What it asks for now, on top of that; it goes on when it has that.
        var wanted: Int
        /// More may be asked for.
        var isGrowing: Bool
    }

    private let limit: Int
    private let share: Int
    private let reserve: Int
    private let maximumWaiting: Int
    private var claims: [UInt64: Claim] = [:]
    /// Those that wait, in the order in which they came.
    private var waiting: [UInt64] = []
    private(set) var used = 0
    private var usedBy: [AccountID: Int] = [:]
    private var tickets: UInt64 = 0

    /// - Parameter largest: the most that a claim which grows comes to; so much is for the oldest of them alone.
    init(limit: Int, largest: Int, maximumWaiting: Int) {
        self.limit = limit
        share = max(1, limit / 4)
        reserve = min(largest, share / 2)
        self.maximumWaiting = maximumWaiting
    }

    /// What is larger than all there is goes alone.
    mutating func request(_ bytes: Int, for account: AccountID, isGrowing: Bool = false) -> Verdict {
        tickets += 1
        let wanted = min(max(bytes, 1), limit)
        let claim = Claim(ticket: tickets, account: account, bytes: 0, wanted: wanted, isGrowing: isGrowing)
        claims[claim.ticket] = claim
        // One that only lacks memory is before those that come later, or large ones would wait for ever.
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

    /// So many bytes more for a claim that grows and does not wait. False: it waits now.
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

    /// It has all that it will ask for.
    ///
    /// - Returns: The tickets whose turn it is now.
    mutating func endGrowth(_ ticket: UInt64) -> [UInt64] {
        claims[ticket]?.isGrowing = false
        return turns()
    }

    /// Ends a claim, granted or waiting.
    ///
    /// - Returns: The tickets whose turn it is now.
    mutating func release(_ ticket: UInt64) -> [UInt64] {
        waiting.removeAll { $0 == ticket }
        if let claim = claims.removeValue(forKey: ticket) { free(claim.bytes, of: claim.account) }
        return turns()
    }

    /// What is granted needs less than it asked for.
    ///
    /// - Returns: The tickets whose turn it is now.
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
        // Who has a part already first: only that ends it, and frees what it has.
        let order = waiting.filter { claims[$0]?.bytes ?? 0 > 0 } + waiting.filter { claims[$0]?.bytes ?? 0 == 0 }
        var passedOver: Set<AccountID> = []
        for ticket in order {
            guard let claim = claims[ticket] else { continue }
            if claim.bytes == 0, passedOver.contains(claim.account) { continue }
            if isFree(for: claim) {
                grant(ticket)
                turns.append(ticket)
            } else if claim.bytes == 0 {
                // The oldest that only lacks memory is next, or large ones would wait for ever.
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
        // Alone it may be larger than a share; a body that came first goes on to its end.
        guard own > claim.bytes else { return true }
        return own + claim.wanted <= (isOldest(claim, of: claim.account) ? share : share - reserve)
    }

    /// Whether it is the oldest that is still growing, of all or of an account.
    private func isOldest(_ claim: Claim, of account: AccountID? = nil) -> Bool {
        guard claim.isGrowing else { return false }
        return !claims.values.contains {
            $0.isGrowing && $0.ticket < claim.ticket && (account == nil || $0.account == account)
        }
    }
}
