import Coordination
import DaemonProtocol
import Logging
import Synchronization

/// Which claims the clients of the socket have, by the numbers that they gave their requests.
final class ClaimLedger: ClaimMessenger {
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

    private struct Key: Hashable {
        let connection: UInt64
        let request: UInt64

        init(_ client: ClientContext, _ request: UInt64) {
            connection = client.connection
            self.request = request
        }
    }

    private let entries = Mutex<[Key: Entry]>([:])
    private let count = Atomic(0)
    let letters = LetterOffice()
    private let log: Logger

    init(log: Logger) { self.log = log }

    /// One load: nobody who changes the tree is slowed down while nobody coordinates.
    var isEmpty: Bool { count.load(ordering: .sequentiallyConsistent) == 0 }

    /// Makes room for a request, before anything is looked up for it.
    func add(_ client: ClientContext) throws(DaemonFailure) {
        try entries.withLock { entries throws(DaemonFailure) in
            let key = Key(client, client.request)
            guard entries[key] == nil else {
                throw DaemonFailure(.invalidRequest, "number \(client.request) is that of a claim of this connection")
            }
            guard entries.keys.count(where: { $0.connection == client.connection }) < Self.maximumClaims else {
                throw DaemonFailure(.busy, "this connection has \(Self.maximumClaims) claims already")
            }
            entries[key] = Entry(client: client)
            count.store(entries.count, ordering: .sequentiallyConsistent)
        }
    }

    /// Whether the request is still wanted.
    func note(_ id: ClaimID, of client: ClientContext) -> Bool {
        entries.withLock { entries in
            entries[Key(client, client.request)]?.id = id
            return entries[Key(client, client.request)].map { !$0.isCalledOff } ?? false
        }
    }

    /// Notes what a granted claim writes.
    func note(_ written: [ItemKey], of client: ClientContext) {
        entries.withLock { $0[Key(client, client.request)]?.written = written }
    }

    func written(_ request: UInt64, of client: ClientContext) -> [ItemKey] {
        entries.withLock { $0[Key(client, request)]?.written ?? [] }
    }

    func claim(_ request: UInt64, of client: ClientContext) -> ClaimID? {
        entries.withLock { $0[Key(client, request)]?.id }
    }

    func remove(_ request: UInt64, of client: ClientContext) {
        entries.withLock { entries in
            entries[Key(client, request)] = nil
            count.store(entries.count, ordering: .sequentiallyConsistent)
        }
    }

    func removeAll(of connection: UInt64) {
        entries.withLock { entries in
            entries = entries.filter { $0.key.connection != connection }
            count.store(entries.count, ordering: .sequentiallyConsistent)
        }
    }

    enum End: Equatable { case none, revoked, calledOff, claim(ClaimID) }

    /// What finishing a request means.
    func finish(_ request: UInt64, of client: ClientContext) -> End {
        entries.withLock { entries in
            guard let entry = entries[Key(client, request)] else { return .none }
            if entry.isRevoked { return .revoked }
            entries[Key(client, request)]?.isCalledOff = true
            return entry.id.map { .claim($0) } ?? .calledOff
        }
    }

    func holder(of id: ClaimID) -> ClientContext? {
        entries.withLock { $0.values.first { $0.id == id }?.client }
    }

    /// The processes that have claims or presenters, or wait for claims.
    var processes: [ClientID: Int32] {
        let clients = entries.withLock { $0.values.map(\.client) }
        return clients.reduce(into: letters.processes) { $0[ClientID($1.connection)] = $1.processID }
    }

    // MARK: ClaimMessenger

    func send(_ letter: PresenterLetter, to presenter: PresenterID, of client: ClientID) {
        letters.put(letter, for: presenter, of: client.value)
    }

    func revoke(_ claim: ClaimID, of client: ClientID) {
        entries.withLock { entries in
            for (key, entry) in entries where entry.id == claim { entries[key]?.isRevoked = true }
        }
    }

    func report(_ report: ClaimReport) { log.warning("coordination", metadata: ["report": "\(report)"]) }
}
