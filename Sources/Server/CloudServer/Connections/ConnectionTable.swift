import ServerStorage

/// Decides which connections there may be. Pure: events in, the connections to close out.
///
/// An address has so many. Of all there are, some are left for who has signed in: when the others have theirs, a new one takes the place of
/// the one that has done nothing for longest. So connections that are only held keep no client out.
struct ConnectionTable {
    struct Limits: Hashable {
        var maximum = 4_096
        /// Of one address, or one /64 of IPv6.
        var perAddress = 64

        /// Places that only devices have which are signed in.
        var reserve: Int { maximum / 4 }
        /// Signed-in connections of one account; more count as not signed in.
        var perAccount: Int { max(8, maximum / 8) }
    }

    private struct Entry {
        /// Nil: an address without a bound of its own.
        let address: String?
        var account: AccountID?
        /// When it last read or took something.
        var active: Duration
    }

    private let limits: Limits
    private var entries: [UInt64: Entry] = [:]
    private var perAddress: [String: Int] = [:]
    private var perAccount: [AccountID: Int] = [:]
    private var signedIn = 0

    init(_ limits: Limits) { self.limits = limits }

    var count: Int { entries.count }

    /// - Parameter address: whose bound it counts for; nil for the machine itself and trusted proxies.
    /// - Returns: Connections to close for this one; nil where this one has to be closed.
    mutating func open(_ ticket: UInt64, from address: String?, now: Duration) -> [UInt64]? {
        if let address, perAddress[address] ?? 0 >= limits.perAddress { return nil }
        var evicted: [UInt64] = []
        let strangers = entries.count - signedIn
        if strangers >= limits.maximum - limits.reserve || entries.count >= limits.maximum {
            guard let idle = stalest else { return nil }
            close(idle)
            evicted = [idle]
        }
        entries[ticket] = Entry(address: address, account: nil, active: now)
        if let address { perAddress[address, default: 0] += 1 }
        return evicted
    }

    mutating func isActive(_ ticket: UInt64, now: Duration) { entries[ticket]?.active = now }

    mutating func signIn(_ ticket: UInt64, _ account: AccountID) {
        guard let entry = entries[ticket], entry.account != account else { return }
        forgetAccount(of: ticket)
        guard perAccount[account] ?? 0 < limits.perAccount else { return }
        entries[ticket]?.account = account
        perAccount[account, default: 0] += 1
        signedIn += 1
    }

    /// Also for one that was evicted.
    mutating func close(_ ticket: UInt64) {
        forgetAccount(of: ticket)
        guard let entry = entries.removeValue(forKey: ticket), let address = entry.address else { return }
        let rest = (perAddress[address] ?? 1) - 1
        perAddress[address] = rest > 0 ? rest : nil
    }

    private mutating func forgetAccount(of ticket: UInt64) {
        guard let account = entries[ticket]?.account else { return }
        entries[ticket]?.account = nil
        let rest = (perAccount[account] ?? 1) - 1
        perAccount[account] = rest > 0 ? rest : nil
        signedIn -= 1
    }

    /// Of those that have not signed in.
    private var stalest: UInt64? {
        entries.filter { $0.value.account == nil }.min { ($0.value.active, $0.key) < ($1.value.active, $1.key) }?.key
    }
}
