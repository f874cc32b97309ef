import NIOCore
import ServerStorage
import Synchronization

/// The connections of a server, bounded by ``ConnectionTable``.
final class Connections: Sendable {
    private struct State {
        var table: ConnectionTable
        var channels: [UInt64: any Channel] = [:]
        var tickets: [ObjectIdentifier: UInt64] = [:]
        var last: UInt64 = 0
        var rate = RequestRate()
    }

    private let state: Mutex<State>
    private let proxies: TrustedProxies
    private let start = ContinuousClock.now

    init(_ limits: ConnectionTable.Limits, _ proxies: TrustedProxies) {
        state = Mutex(State(table: ConnectionTable(limits)))
        self.proxies = proxies
    }

    /// The time base for comparing all connections.
    var now: Duration { ContinuousClock.now - start }

    /// Registers a connection, possibly evicting another. Returns nil if the new connection has to be closed.
    func open(_ channel: any Channel) -> UInt64? {
        let address = channel.remoteAddress?.ipAddress.flatMap { PeerAddress($0) }
        let isFree = address.map { $0.isLoopback || proxies.contains($0) } ?? true
        let now = now
        let (ticket, evicted) = state.withLock { state -> (UInt64?, [any Channel]) in
            state.last += 1
            let ticket = state.last
            guard let evicted = state.table.open(ticket, from: isFree ? nil : address?.group, now: now) else {
                return (nil, [])
            }
            state.channels[ticket] = channel
            state.tickets[ObjectIdentifier(channel)] = ticket
            return (ticket, evicted.compactMap { state.channels[$0] })
        }
        for channel in evicted { channel.close(promise: nil) }
        return ticket
    }

    /// Whether the next request of a connection may be handled now; see ``RequestRate``.
    func mayBegin(_ ticket: UInt64) -> Bool {
        let now = now
        return state.withLock { state in
            guard let address = state.table.strangerAddress(of: ticket) else { return true }
            return state.rate.allows(address, now: now)
        }
    }

    func isActive(_ ticket: UInt64) {
        let now = now
        state.withLock { $0.table.isActive(ticket, now: now) }
    }

    /// Records a request with a valid token on this connection.
    func signIn(_ channel: any Channel, _ account: AccountID) {
        state.withLock { state in
            guard let ticket = state.tickets[ObjectIdentifier(channel)] else { return }
            state.table.signIn(ticket, account)
        }
    }

    func closed(_ ticket: UInt64) {
        state.withLock { state in
            state.table.close(ticket)
            guard let channel = state.channels.removeValue(forKey: ticket) else { return }
            state.tickets[ObjectIdentifier(channel)] = nil
        }
    }
}
