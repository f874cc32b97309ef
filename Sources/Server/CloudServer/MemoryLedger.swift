import ServerStorage

/// Decides whose bodies may be in memory. Pure: events in, tickets that may go on out.
///
/// First come, first served, but an account that has its half of the memory does not hold up the others.
struct MemoryLedger {
    struct Claim: Hashable {
        let ticket: UInt64
        let account: AccountID
        let bytes: Int
    }

    enum Verdict: Hashable {
        case granted(UInt64)
        case waiting(UInt64)
        /// Too many wait already.
        case refused
    }

    private let limit: Int
    private let maximumWaiting: Int
    private var granted: [UInt64: Claim] = [:]
    private var waiting: [Claim] = []
    private(set) var used = 0
    private var usedBy: [AccountID: Int] = [:]
    private var tickets: UInt64 = 0

    init(limit: Int, maximumWaiting: Int) {
        self.limit = limit
        self.maximumWaiting = maximumWaiting
    }

    mutating func request(_ bytes: Int, for account: AccountID) -> Verdict {
        tickets += 1
        // What is larger than all there is goes alone.
        let claim = Claim(ticket: tickets, account: account, bytes: min(max(bytes, 1), limit))
        if isFree(for: claim), !waiting.contains(where: { $0.account == account }) {
            grant(claim)
            return .granted(claim.ticket)
        }
        guard waiting.count < maximumWaiting else { return .refused }
        waiting.append(claim)
        return .waiting(claim.ticket)
    }

    /// Ends a claim, granted or waiting. Answers the tickets whose turn it is now.
    mutating func release(_ ticket: UInt64) -> [UInt64] {
        if let claim = granted.removeValue(forKey: ticket) {
            free(claim.bytes, of: claim.account)
        } else {
            waiting.removeAll { $0.ticket == ticket }
        }
        return turns()
    }

    /// What is granted needs less than it asked for. Answers the tickets whose turn it is now.
    mutating func shrink(_ ticket: UInt64, to bytes: Int) -> [UInt64] {
        guard let claim = granted[ticket], bytes < claim.bytes else { return [] }
        granted[ticket] = Claim(ticket: ticket, account: claim.account, bytes: max(bytes, 1))
        free(claim.bytes - max(bytes, 1), of: claim.account)
        return turns()
    }

    private mutating func free(_ bytes: Int, of account: AccountID) {
        used -= bytes
        let rest = (usedBy[account] ?? 0) - bytes
        usedBy[account] = rest > 0 ? rest : nil
    }

    private mutating func turns() -> [UInt64] {
        var turns: [UInt64] = []
        var passedOver: Set<AccountID> = []
        for claim in waiting where !passedOver.contains(claim.account) {
            if isFree(for: claim) {
                grant(claim)
                turns.append(claim.ticket)
            } else if used + claim.bytes > limit {
                // The oldest that only lacks memory is next, or large ones would wait for ever.
                break
            } else {
                passedOver.insert(claim.account)
            }
        }
        waiting.removeAll { granted[$0.ticket] != nil }
        return turns
    }

    func isWaiting(_ ticket: UInt64) -> Bool { waiting.contains { $0.ticket == ticket } }

    private mutating func grant(_ claim: Claim) {
        granted[claim.ticket] = claim
        used += claim.bytes
        usedBy[claim.account, default: 0] += claim.bytes
    }

    private func isFree(for claim: Claim) -> Bool {
        let own = usedBy[claim.account] ?? 0
        return used + claim.bytes <= limit && (own == 0 || own + claim.bytes <= limit / 2)
    }
}
