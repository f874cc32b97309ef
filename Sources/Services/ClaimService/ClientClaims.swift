import Basics
package import Coordination
package import DaemonProtocol
import Logging
import Synchronization

/// The claims of the socket's clients, by the clients' request numbers.
package final class ClientClaims: ClaimMessenger {
    private struct Entry {
        let client: any ClaimClient
        /// The arbiter's id of the claim; nil until the arbiter has the request.
        var id: ClaimID?
        /// Whether the client finished it before the arbiter had it.
        var isCalledOff = false
        var isRevoked = false
        /// The claim's written items, once it is granted.
        var written: [ItemKey] = []
    }

    private struct State {
        /// Entries by connection and the number of the request.
        var entries: [UInt64: [UInt64: Entry]] = [:]
        var count = 0

        subscript(client: any ClaimClient, request: UInt64) -> Entry? {
            get { entries[client.connection]?[request] }
            set { entries[client.connection, default: [:]][request] = newValue }
        }
    }

    private let state = RankedMutex(.leaf, State())
    private let count = Atomic(0)
    package let deliveries = PresenterOutbox()
    /// Upper bound of a connection's claims and waiting requests.
    private let maximumClaims: Int
    let log: Logger

    init(maximumClaims: Int, log: Logger) {
        self.maximumClaims = maximumClaims
        self.log = log
    }

    /// Costs one atomic load, so that tree changes are not slowed down while no program coordinates.
    package var isEmpty: Bool { count.load(ordering: .sequentiallyConsistent) == 0 }

    /// Reserves a slot for a request before any lookup.
    package func add(_ client: any ClaimClient) throws(DaemonFailure) {
        try state.withLock { state throws(DaemonFailure) in
            guard state[client, client.request] == nil else {
                throw DaemonFailure(
                    .invalidRequest, "number \(client.request) is already used by a claim of this connection")
            }
            guard state.entries[client.connection]?.count ?? 0 < maximumClaims else {
                throw DaemonFailure(.busy, "this connection already has \(maximumClaims) claims")
            }
            state[client, client.request] = Entry(client: client)
            note(1, &state)
        }
    }

    private func note(_ change: Int, _ state: inout State) {
        state.count += change
        count.store(state.count, ordering: .sequentiallyConsistent)
    }

    /// Records the arbiter's id of a request. Returns whether the request is still wanted.
    func note(_ id: ClaimID, of client: any ClaimClient) -> Bool {
        state.withLock { state in
            state[client, client.request]?.id = id
            return state[client, client.request].map { !$0.isCalledOff } ?? false
        }
    }

    /// Records the items written by a granted claim.
    package func note(_ written: [ItemKey], of client: any ClaimClient) {
        guard !written.isEmpty else { return }
        state.withLock { $0[client, client.request]?.written = written }
    }

    package func written(_ request: UInt64, of client: any ClaimClient) -> [ItemKey] {
        state.withLock { $0[client, request]?.written ?? [] }
    }

    package func claim(_ request: UInt64, of client: any ClaimClient) -> ClaimID? {
        state.withLock { $0[client, request]?.id }
    }

    package func remove(_ request: UInt64, of client: any ClaimClient) {
        state.withLock { state in
            guard state[client, request] != nil else { return }
            state[client, request] = nil
            note(-1, &state)
        }
    }

    func removeAll(of connection: UInt64) {
        state.withLock { note(-($0.entries.removeValue(forKey: connection)?.count ?? 0), &$0) }
    }

    package enum End: Equatable { case none, revoked, calledOff, claim(ClaimID) }

    /// Removes a request finished by its client, and returns the follow-up action.
    func finish(_ request: UInt64, of client: any ClaimClient) -> End {
        state.withLock { state in
            guard let entry = state[client, request] else { return .none }
            if entry.isRevoked { return .revoked }
            state[client, request]?.isCalledOff = true
            return entry.id.map { .claim($0) } ?? .calledOff
        }
    }

    package func holder(of id: ClaimID) -> (any ClaimClient)? {
        state.withLock { state in
            state.entries.values.lazy.flatMap(\.values).first { $0.id == id }?.client
        }
    }

    /// Processes with claims, waiting requests or presenters.
    var processes: [ClientID: Int32] {
        let clients = state.withLock { $0.entries.values.compactMap { $0.values.first?.client } }
        return clients.reduce(into: deliveries.processes) { $0[ClientID($1.connection)] = $1.processID }
    }

    // MARK: ClaimMessenger

    package func send(_ delivery: PresenterDelivery, to presenter: PresenterID, of client: ClientID) {
        deliveries.put(delivery, for: presenter, of: client.value)
    }

    package func revoke(_ claim: ClaimID, of client: ClientID) {
        state.withLock { state in
            for (request, entry) in state.entries[client.value] ?? [:] where entry.id == claim {
                state.entries[client.value]?[request]?.isRevoked = true
            }
        }
    }

    package func report(_ report: ClaimReport) { log.warning("coordination", metadata: ["report": "\(report)"]) }
}
