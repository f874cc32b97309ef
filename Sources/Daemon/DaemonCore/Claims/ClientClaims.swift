import ControlServer
import Coordination
import DaemonProtocol
import Logging
import Synchronization

/// Which claims the clients of the socket have, by the numbers that they gave their requests.
final class ClientClaims: ClaimMessenger {
    /// Claims and waiting requests of one connection.
    static let maximumClaims = SocketServer.Limits.maximumClaims

    private struct Entry {
        let client: ClientContext
        /// Nil until the arbiter knows it.
        var id: ClaimID?
        /// Finished before the arbiter knew it.
        var isCalledOff = false
        var isRevoked = false
        /// What it writes, once it is granted.
        var written: [ItemKey] = []
    }

    private struct State {
        /// By connection and the number of the request.
        var entries: [UInt64: [UInt64: Entry]] = [:]
        var count = 0

        subscript(client: ClientContext, request: UInt64) -> Entry? {
            get { entries[client.connection]?[request] }
            set { entries[client.connection, default: [:]][request] = newValue }
        }
    }

    private let state = Mutex(State())
    private let count = Atomic(0)
    let deliveries = PresenterOutbox()
    private let log: Logger

    init(log: Logger) { self.log = log }

    /// One load: a change of the tree is not slowed down while no program coordinates.
    var isEmpty: Bool { count.load(ordering: .sequentiallyConsistent) == 0 }

    /// Makes room for a request, before anything is looked up for it.
    func add(_ client: ClientContext) throws(DaemonFailure) {
        try state.withLock { state throws(DaemonFailure) in
            guard state[client, client.request] == nil else {
                throw DaemonFailure(.invalidRequest, "number \(client.request) is that of a claim of this connection")
            }
            guard state.entries[client.connection]?.count ?? 0 < Self.maximumClaims else {
                throw DaemonFailure(.busy, "this connection has \(Self.maximumClaims) claims already")
            }
            state[client, client.request] = Entry(client: client)
            note(1, &state)
        }
    }

    private func note(_ change: Int, _ state: inout State) {
        state.count += change
        count.store(state.count, ordering: .sequentiallyConsistent)
    }

    /// Whether the request is still wanted.
    func note(_ id: ClaimID, of client: ClientContext) -> Bool {
        state.withLock { state in
            state[client, client.request]?.id = id
            return state[client, client.request].map { !$0.isCalledOff } ?? false
        }
    }

    /// Notes what a granted claim writes.
    func note(_ written: [ItemKey], of client: ClientContext) {
        guard !written.isEmpty else { return }
        state.withLock { $0[client, client.request]?.written = written }
    }

    func written(_ request: UInt64, of client: ClientContext) -> [ItemKey] {
        state.withLock { $0[client, request]?.written ?? [] }
    }

    func claim(_ request: UInt64, of client: ClientContext) -> ClaimID? {
        state.withLock { $0[client, request]?.id }
    }

    func remove(_ request: UInt64, of client: ClientContext) {
        state.withLock { state in
            guard state[client, request] != nil else { return }
            state[client, request] = nil
            note(-1, &state)
        }
    }

    func removeAll(of connection: UInt64) {
        state.withLock { note(-($0.entries.removeValue(forKey: connection)?.count ?? 0), &$0) }
    }

    enum End: Equatable { case none, revoked, calledOff, claim(ClaimID) }

    /// What finishing a request means.
    func finish(_ request: UInt64, of client: ClientContext) -> End {
        state.withLock { state in
            guard let entry = state[client, request] else { return .none }
            if entry.isRevoked { return .revoked }
            state[client, request]?.isCalledOff = true
            return entry.id.map { .claim($0) } ?? .calledOff
        }
    }

    func holder(of id: ClaimID) -> ClientContext? {
        state.withLock { state in
            state.entries.values.lazy.flatMap(\.values).first { $0.id == id }?.client
        }
    }

    /// The processes that have claims or presenters, or wait for claims.
    var processes: [ClientID: Int32] {
        let clients = state.withLock { $0.entries.values.compactMap { $0.values.first?.client } }
        return clients.reduce(into: deliveries.processes) { $0[ClientID($1.connection)] = $1.processID }
    }

    // MARK: ClaimMessenger

    func send(_ delivery: PresenterDelivery, to presenter: PresenterID, of client: ClientID) {
        deliveries.put(delivery, for: presenter, of: client.value)
    }

    func revoke(_ claim: ClaimID, of client: ClientID) {
        state.withLock { state in
            for (request, entry) in state.entries[client.value] ?? [:] where entry.id == claim {
                state.entries[client.value]?[request]?.isRevoked = true
            }
        }
    }

    func report(_ report: ClaimReport) { log.warning("coordination", metadata: ["report": "\(report)"]) }
}
