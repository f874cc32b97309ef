import ControlServer
import DaemonProtocol
import LocalMetadata
import Logging
import Queries
import Sync
import Synchronization
import Transfers

/// The daemon's live queries and monitors: it is notified which rows changed, and finds the queries concerned. A writer is held up for one insertion into
/// a set, and not at all while there is no query.
final class QueryService: Sendable {
    fileprivate struct State {
        var queries = LiveQueries()
        var bells: [LiveQueries.QueryID: Wakeup] = [:]
        /// Rows to look at.
        var changed: Set<NodeID> = []
        /// Packages of which something changed. Each is looked at as a whole, so they wait for the end of what is under way.
        var packages: Set<NodeID> = []
        /// Folders of which everything below is to be looked at, and the last item that was.
        var folders: [NodeID: NodeID] = [:]
        /// Documents of conflict siblings, whose rows say nothing when they are gone.
        var documents: [NodeID: NodeID]?
        /// Queries of each connection.
        var clients: [UInt64: Int] = [:]
    }

    static let maximumQueries = 32
    private static let batch = 200
    private static let packageBatch = 20
    /// Rows that wait to be looked at; beyond it everything is.
    private static let maximumChanged = 100_000

    let monitors = MonitorService()
    private let state = Mutex(State())
    private let isActive = Atomic(false)
    private let bell = Wakeup()
    private let metadata: MetadataDatabase
    private let mountPoint: String
    private let log: Logger

    init(_ metadata: MetadataDatabase, mountPoint: String, log: Logger) {
        self.metadata = metadata
        self.mountPoint = mountPoint
        self.log = log
    }

    // MARK: Queries

    func enter(_ client: ClientContext) throws(DaemonFailure) {
        try state.withLock { state throws(DaemonFailure) in
            guard state.clients[client.connection, default: 0] < Self.maximumQueries else {
                throw DaemonFailure(.busy, "this connection has \(Self.maximumQueries) queries already")
            }
            state.clients[client.connection, default: 0] += 1
        }
    }

    func leave(_ client: ClientContext) {
        state.withLock { state in
            state.clients[client.connection, default: 1] -= 1
            if state.clients[client.connection] == 0 { state.clients[client.connection] = nil }
        }
    }

    func add(_ predicate: Predicate, _ scope: QueryScope, _ bell: Wakeup) -> LiveQueries.QueryID {
        let id = state.withLock { state in
            let id = state.queries.add(predicate, scope)
            state.bells[id] = bell
            return id
        }
        activate()
        return id
    }

    func remove(_ id: LiveQueries.QueryID) {
        state.withLock { state in
            state.queries.remove(id)
            state.bells[id] = nil
        }
        activate()
    }

    /// What a feed asks of its query.
    func with<T>(_ body: (inout LiveQueries) throws -> T) rethrows -> T { try state.withLock { try body(&$0.queries) } }

    /// To be called when queries or monitors came or went.
    func activate() {
        let isNeeded = state.withLock { state in
            let isNeeded = !state.queries.isEmpty || !monitors.isEmpty
            if !isNeeded { (state.changed, state.packages, state.folders, state.documents) = ([], [], [:], nil) }
            isActive.store(isNeeded, ordering: .sequentiallyConsistent)
            return isNeeded
        }
        if isNeeded { bell.ring() }
    }

    // MARK: Changes

    /// After a commit, on the thread that made it.
    func changed(_ changes: RowChanges) {
        guard isActive.load(ordering: .sequentiallyConsistent) else { return }
        state.withLock { state in
            state.changed.formUnion(changes.nodes)
            state.changed.formUnion(changes.leftFolders)
            for folder in changes.movedFolders { state.folders[folder] = NodeID(0) }
            if changes.isEverything || state.changed.count > Self.maximumChanged {
                state.changed = []
                state.folders[.root] = NodeID(0)
            }
        }
        bell.ring()
    }

    /// Looks at what changed until the task is cancelled.
    func run(_ engine: SyncEngine) async { await run(engine, engine.context.transfers.clock) }

    private func run<C: Clock>(_ engine: SyncEngine, _ clock: C) async where C.Duration == Duration {
        var transferring: Set<NodeID> = []
        var nextPackages = clock.now
        while !Task.isCancelled {
            await bell.wait(atMost: .seconds(1), clock: clock)
            guard isActive.load(ordering: .sequentiallyConsistent) else { continue }
            let transfers = TransferTable(engine)
            let moving = transfers.nodes
            // Also those that have just ended.
            state.withLock { $0.changed.formUnion(moving.union(transferring)) }
            transferring = moving
            do {
                try await engine.context.blocking { [self] in
                    monitors.note(engine.state)
                    while !Task.isCancelled, try work(transfers) {}
                }
                // A package of very many files that come one by one takes no more than a fifth of the time.
                guard clock.now >= nextPackages else { continue }
                let start = clock.now
                try await engine.context.blocking { [self] in
                    while !Task.isCancelled, try lookAtPackages(transfers) {}
                }
                nextPackages = clock.now.advanced(by: start.duration(to: clock.now) * 4)
            } catch {
                guard !Task.isCancelled else { return }
                log.warning("could not look at what changed", metadata: ["error": "\(error)"])
            }
        }
    }

    /// Looks at some rows. Returns whether there are more.
    func work(_ transfers: TransferTable) throws -> Bool {
        try learnSiblings()
        try monitors.resolve(metadata)
        let nodes = try nextBatch()
        guard !nodes.isEmpty else { return state.withLock { !$0.folders.isEmpty } }
        let (sights, packages) = try metadata.read { transaction in
            var reader = RowReader(transaction, transfers, mountPoint: mountPoint)
            var (sights, packages): ([Sight], Set<NodeID>) = ([], [])
            for node in nodes {
                let item = try transaction.item(node)
                let package = try item.flatMap { try reader.package(around: $0) }
                if let package { packages.insert(package) }
                if package != node { sights.append(try Sight(node, item, &reader)) }
            }
            return (sights, packages)
        }
        state.withLock { $0.packages.formUnion(packages) }
        send(sights)
        return true
    }

    /// Looks at some packages of which something changed, each as a whole. Returns whether there are more.
    func lookAtPackages(_ transfers: TransferTable) throws -> Bool {
        let nodes = state.withLock { state in
            let nodes = Array(state.packages.prefix(Self.packageBatch))
            state.packages.subtract(nodes)
            return nodes
        }
        let sights = try metadata.read { transaction in
            var reader = RowReader(transaction, transfers, mountPoint: mountPoint)
            return try nodes.map { try Sight($0, try transaction.item($0), &reader) }
        }
        send(sights)
        return !nodes.isEmpty
    }

    private func send(_ sights: [Sight]) {
        let bells = state.withLock { state in
            sights.flatMap { state.changed($0.node, $0.row, document: $0.document) }
        }
        for bell in bells { bell.ring() }
        for sight in sights { monitors.changed(sight.node, sight.row) }
    }

    /// What a row says now.
    private struct Sight {
        let node: NodeID
        /// Nil where it is gone.
        let row: FoundRow?
        /// The document that it is a conflict version of.
        let document: NodeID?

        init(_ node: NodeID, _ item: LocalItem?, _ reader: inout RowReader) throws {
            self.node = node
            row = try item.map { try reader.row($0) }
            document = try item.flatMap { try reader.document(of: $0)?.node }
        }
    }

    private func nextBatch() throws -> [NodeID] {
        let (nodes, walk) = state.withLock { state in
            let nodes = Array(state.changed.prefix(Self.batch))
            state.changed.subtract(nodes)
            return (nodes, nodes.isEmpty ? state.folders.first : nil)
        }
        guard let (folder, last) = walk else { return nodes }
        let (children, unreadable) = try metadata.read {
            try $0.readableChildren(of: folder, after: last, limit: Self.batch)
        }
        let end = [children.last?.node, unreadable.last].compactMap(\.self).max()
        state.withLock { state in
            // Who moved it meanwhile has it walked through from the beginning.
            if state.folders[folder] == last {
                state.folders[folder] = children.count + unreadable.count < Self.batch ? nil : end
            }
            for child in children where child.kind == .folder { state.folders[child.node] = NodeID(0) }
        }
        return children.map(\.node)
    }

    private func learnSiblings() throws {
        guard state.withLock({ $0.documents == nil }) else { return }
        let documents = try metadata.read { transaction in
            let versions = try transaction.allSiblings(limit: 10_000) + transaction.packageConflicts()
            return try versions.compactMap { version in
                try transaction.document(ofVersion: version).map { (version.node, $0.node) }
            }
        }
        state.withLock { $0.documents = Dictionary(documents) { first, _ in first } }
    }
}

extension QueryService.State {
    /// The bells of those who are to learn of it.
    fileprivate mutating func changed(_ node: NodeID, _ row: FoundRow?, document: NodeID?) -> [Wakeup] {
        // A document is in conflict as long as it has siblings.
        if let document, let known = documents {
            documents?[node] = document
            if known[node] != document { changed.formUnion([document, known[node]].compactMap(\.self)) }
        }
        if row == nil || document == nil, let document = documents?.removeValue(forKey: node) {
            changed.insert(document)
        }
        return queries.changed(node.value, row).compactMap { bells[$0] }
    }
}
