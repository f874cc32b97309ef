package import DaemonProtocol
package import LocalMetadata
package import Logging
import Queries
import Sync
import Synchronization

/// All clients' live queries and monitors: the service is notified of changed rows, and finds the queries concerned. A
/// writer is delayed by a single insertion into a set, and not at all while there is no query.
package final class QueryService: Sendable {
    fileprivate struct State {
        var queries = QueryTable()
        var bells: [QueryTable.QueryID: Wakeup] = [:]
        /// Rows to be evaluated.
        var changed: Set<NodeID> = []
        /// Packages with changes inside. Each is evaluated as a whole, so they wait for the end of the changes under way.
        var packages: Set<NodeID> = []
        /// Folders whose whole content is to be evaluated, with the last item evaluated.
        var folders: [NodeID: NodeID] = [:]
        /// The documents of conflict siblings, since a sibling's row no longer names its document once it is gone.
        var documents: [NodeID: NodeID]?
        /// The number of queries of each connection.
        var clients: [UInt64: Int] = [:]
    }

    static let maximumQueries = 32
    private static let batch = 200
    private static let packageBatch = 20
    /// The maximum number of rows awaiting evaluation; beyond it all items are evaluated.
    private static let maximumChanged = 100_000

    package let monitors = MonitorService()
    private let state = Mutex(State())
    private let isActive = Atomic(false)
    private let bell = Wakeup()
    let metadata: MetadataDatabase
    let mountPoint: String
    private let log: Logger

    package init(_ metadata: MetadataDatabase, mountPoint: String, log: Logger) {
        self.metadata = metadata
        self.mountPoint = mountPoint
        self.log = log
    }

    // MARK: Queries

    /// Reserves a connection's slot for a query or a monitor; ``leave(_:)`` releases it.
    ///
    /// - Throws: `busy` if the connection already has ``maximumQueries``.
    package func enter(_ connection: UInt64) throws(DaemonFailure) {
        try state.withLock { state throws(DaemonFailure) in
            guard state.clients[connection, default: 0] < Self.maximumQueries else {
                throw DaemonFailure(.busy, "this connection already has \(Self.maximumQueries) queries")
            }
            state.clients[connection, default: 0] += 1
        }
    }

    func leave(_ connection: UInt64) {
        state.withLock { state in
            state.clients[connection, default: 1] -= 1
            if state.clients[connection] == 0 { state.clients[connection] = nil }
        }
    }

    func add(_ predicate: Predicate, _ scope: QueryScope, _ bell: Wakeup) -> QueryTable.QueryID {
        let id = state.withLock { state in
            let id = state.queries.add(predicate, scope)
            state.bells[id] = bell
            return id
        }
        activate()
        return id
    }

    func remove(_ id: QueryTable.QueryID) {
        state.withLock { state in
            state.queries.remove(id)
            state.bells[id] = nil
        }
        activate()
    }

    /// Runs `body` with the table of queries, for a feed.
    func with<T>(_ body: (inout QueryTable) throws -> T) rethrows -> T { try state.withLock { try body(&$0.queries) } }

    /// Updates whether the service is active. To be called when queries or monitors are added or removed.
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

    /// Records changed rows after a commit, on the committing thread.
    package func changed(_ changes: RowChanges) {
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

    /// Evaluates changes until the task is cancelled.
    package func run(_ source: any QuerySource) async { await run(source, source.clock) }

    private func run<C: Clock>(_ source: any QuerySource, _ clock: C) async where C.Duration == Duration {
        var transferring: Set<NodeID> = []
        var nextPackages = clock.now
        while !Task.isCancelled {
            await bell.wait(atMost: .seconds(1), clock: clock)
            guard isActive.load(ordering: .sequentiallyConsistent) else { continue }
            let transfers = source.transfers
            let moving = transfers.nodes
            // Includes transfers that have just ended.
            state.withLock { $0.changed.formUnion(moving.union(transferring)) }
            transferring = moving
            do {
                try await source.blocking { [self] in
                    monitors.note(source.cloud)
                    while !Task.isCancelled, try work(transfers) {}
                }
                // If a package's many files arrive individually, evaluating it takes at most a fifth of the time.
                guard clock.now >= nextPackages else { continue }
                let start = clock.now
                try await source.blocking { [self] in
                    while !Task.isCancelled, try lookAtPackages(transfers) {}
                }
                nextPackages = clock.now.advanced(by: start.duration(to: clock.now) * 4)
            } catch {
                guard !Task.isCancelled else { return }
                log.warning("could not read the changed items", metadata: ["error": "\(error)"])
            }
        }
    }

    /// Evaluates some rows. Returns whether there are more.
    func work(_ transfers: TransferTable) throws -> Bool {
        try learnSiblings()
        try monitors.resolve(metadata)
        let nodes = try nextBatch()
        guard !nodes.isEmpty else { return state.withLock { !$0.folders.isEmpty } }
        let (sights, packages) = try metadata.read { transaction in
            var reader = RowReader(transaction, transfers, mountPoint: mountPoint)
            var (sights, packages): ([Sight], Set<NodeID>) = ([], [])
            for node in nodes {
                let item = try transaction.local.item(node)
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

    /// Evaluates some packages with changes inside, each as a whole. Returns whether there are more.
    func lookAtPackages(_ transfers: TransferTable) throws -> Bool {
        let nodes = state.withLock { state in
            let nodes = Array(state.packages.prefix(Self.packageBatch))
            state.packages.subtract(nodes)
            return nodes
        }
        let sights = try metadata.read { transaction in
            var reader = RowReader(transaction, transfers, mountPoint: mountPoint)
            return try nodes.map { try Sight($0, try transaction.local.item($0), &reader) }
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

    /// A row's current values.
    private struct Sight {
        let node: NodeID
        /// Nil if the row is gone.
        let row: FoundRow?
        /// A conflict version's document.
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
            try $0.local.readableChildren(of: folder, after: last, limit: Self.batch)
        }
        let end = [children.last?.node, unreadable.last].compactMap(\.self).max()
        state.withLock { state in
            // If the folder was moved meanwhile, its walk starts again from the beginning.
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
            let versions = try transaction.local.allSiblings(limit: 10_000) + transaction.local.packageConflicts()
            return try versions.compactMap { version in
                try transaction.local.document(ofVersion: version).map { (version.node, $0.node) }
            }
        }
        state.withLock { $0.documents = Dictionary(documents) { first, _ in first } }
    }
}

extension QueryService.State {
    /// Returns the bells of the feeds to notify of the change.
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
