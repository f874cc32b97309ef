import CloudModel
package import DaemonProtocol
import LocalMetadata
package import Queries
import Sync
import Synchronization

/// A query's events for its client, page by page, as fast as it reads. Ends its query when it is deallocated.
package final class QueryFeed: Sendable {
    fileprivate enum Phase {
        case gathering(after: NodeID)
        case live
        case over
    }

    fileprivate struct Batch {
        var rows: [FoundRow] = []
        /// Items that no longer match for the client, or are gone.
        var others: [NodeID] = []
        var next: Phase
    }

    /// Items per event: this many fit in a frame, however long their paths.
    private static let page = 200
    /// The maximum number of items matching a live query: beyond that it is refused, so that it is never incomplete.
    private static let maximumItems = 250_000

    private let queries: QueryService
    private let source: any QuerySource
    private let connection: UInt64
    private let prepared: PreparedPredicate
    private let condition: ItemCondition
    private let scope: QueryScope
    private let interval: Duration
    /// The live query; nil if the query ends when all items are gathered.
    private let id: QueryTable.QueryID?
    private let bell = Wakeup()
    private let phase = Mutex(Phase.gathering(after: NodeID(0)))

    /// - Parameters:
    ///   - connection: The client's connection.
    ///   - isLive: Whether updates follow once all is gathered.
    ///   - interval: The shortest time between two updates.
    /// - Throws: `busy` if the connection has too many queries.
    package init(
        _ queries: QueryService, _ source: any QuerySource, connection: UInt64, _ predicate: Predicate,
        _ scope: QueryScope, isLive: Bool, interval: Duration
    ) throws(DaemonFailure) {
        self.queries = queries
        self.source = source
        self.connection = connection
        prepared = PreparedPredicate(predicate)
        condition = ItemCondition(predicate)
        self.scope = scope
        self.interval = interval
        try queries.enter(connection)
        id = isLive ? queries.add(predicate, scope, bell) : nil
    }

    deinit {
        if let id { queries.remove(id) }
        queries.leave(connection)
    }

    /// Returns the next event; nil at the end. Must be called by a single task.
    package func next() async throws -> DaemonEvent? {
        switch phase.withLock({ $0 }) {
        case .gathering(let last): return .found(try await gather(after: last))
        case .live: return try await update().map { .found($0) }
        case .over: return nil
        }
    }

    private func gather(after last: NodeID) async throws -> FoundItems {
        try await source.blocking { [self] in
            if let id { queries.with { $0.beginReading(id) } }
            let batch = try read { try self.page($0, &$1, after: last) }
            let found = try send(batch, gathered: batch.isLast ? .gathered : .gathering)
            phase.withLock { $0 = batch.next }
            return found
        }
    }

    /// Returns the next update; nil when the task was cancelled.
    private func update() async throws -> FoundItems? {
        guard let id else { return nil }
        let clock = source.clock
        while !Task.isCancelled {
            while !Task.isCancelled, !queries.with({ $0.hasChanges(id) }) {
                await bell.wait(atMost: .seconds(60), clock: clock)
            }
            // Changes arriving meanwhile are sent with this update. Only cancellation ends the sleep early.
            try await clock.sleep(for: interval)
            let found = try await source.blocking { [self] in
                let items = queries.with { queries in
                    queries.beginReading(id)
                    return queries.takeDirty(of: id, limit: Self.page)
                }
                let batch = try read { _, reader in try self.look(at: items.map { NodeID($0) }, &reader) }
                return try send(batch, gathered: .update)
            }
            if !found.isEmpty { return found }
        }
        return nil
    }

    // MARK: Reading

    private func read(_ body: (MetadataTransaction, inout RowReader) throws -> Batch) throws -> Batch {
        let transfers = source.transfers
        return try queries.metadata.read { transaction in
            var reader = RowReader(transaction, transfers, mountPoint: queries.mountPoint)
            return try body(transaction, &reader)
        }
    }

    private func page(_ transaction: MetadataTransaction, _ reader: inout RowReader, after last: NodeID) throws -> Batch
    {
        let limit = Self.page * 5
        let items = try transaction.local.items(after: last, meeting: condition, limit: limit)
        var batch = Batch(next: id == nil ? .over : .live)
        for item in items {
            let row = try reader.row(item)
            guard accepts(row) else { continue }
            batch.rows.append(row)
            if batch.rows.count == Self.page {
                batch.next = .gathering(after: item.node)
                return batch
            }
        }
        if items.count == limit, let item = items.last { batch.next = .gathering(after: item.node) }
        return batch
    }

    private func look(at nodes: [NodeID], _ reader: inout RowReader) throws -> Batch {
        var batch = Batch(next: .live)
        for node in nodes {
            if let row = try reader.row(of: node), accepts(row) {
                batch.rows.append(row)
            } else {
                batch.others.append(node)
            }
        }
        return batch
    }

    private func accepts(_ row: FoundRow) -> Bool {
        scope.holds(row) && prepared.matches(row)
    }

    private func send(_ batch: Batch, gathered phase: FoundItems.Phase) throws -> FoundItems {
        let items = try batch.rows.map { try $0.found() }
        guard let id else { return FoundItems(phase: phase, added: items) }
        let known = queries.with { queries in
            queries.update(items.map { ($0.item, $0.hashValue) }, batch.others.map(\.value), of: id)
        }
        guard queries.with({ $0.knownCount(of: id) }) <= Self.maximumItems else {
            throw DaemonFailure(
                .quota, "the query matches more than \(Self.maximumItems) items",
                advice: "Narrow the query, or do not request updates.")
        }
        let (added, changed) = (Set(known.added), Set(known.changed))
        return FoundItems(
            phase: phase, added: items.filter { added.contains($0.item) },
            changed: items.filter { changed.contains($0.item) }, removed: known.removed)
    }
}

extension QueryFeed.Batch {
    fileprivate var isLast: Bool { if case .gathering = next { false } else { true } }
}
