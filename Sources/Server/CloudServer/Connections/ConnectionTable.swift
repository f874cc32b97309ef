import ServerStorage

/// Decides which connections may stay open. Pure: events in, connections to close out.
///
/// Each address has an upper bound. A part of all connections is reserved for signed-in devices: when the rest is used
/// up, a new connection evicts the longest idle one. So connections merely held open keep no client out.
struct ConnectionTable {
    struct Limits: Hashable {
        var maximum = 4_096
        /// Per address, or IPv6 /64.
        var perAddress = 64

        /// Connections reserved for signed-in devices.
        var reserve: Int { maximum / 4 }
        /// Signed-in connections per account; any beyond that count as not signed in.
        var perAccount: Int { max(8, maximum / 8) }
    }

    private struct Entry {
        /// Nil for an unbounded address.
        let address: String?
        var account: AccountID?
        /// When it last read or wrote anything.
        var active: Duration
    }

    private let limits: Limits
    private var entries: [UInt64: Entry] = [:]
    private var perAddress: [String: Int] = [:]
    private var perAccount: [AccountID: Int] = [:]
    private var signedIn = 0

    init(_ limits: Limits) { self.limits = limits }

    var count: Int { entries.count }

    /// Adds a connection.
    ///
    /// - Parameter address: The address it counts against; nil for the machine itself and trusted proxies.
    /// - Returns: Connections to close to make room for this one, or nil if this one has to be closed.
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

    /// The address of a connection without sign-in; nil if unbounded.
    func strangerAddress(of ticket: UInt64) -> String? {
        entries[ticket].flatMap { $0.account == nil ? $0.address : nil }
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

    /// Removes a connection, possibly an evicted one.
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

    /// The longest idle connection without sign-in.
    private var stalest: UInt64? {
        entries.filter { $0.value.account == nil }.min { ($0.value.active, $0.key) < ($1.value.active, $1.key) }?.key
    }
}
