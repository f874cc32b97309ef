/// All clients' live queries: the queries concerned by a change, and each client's unsent changes. Pure.
///
/// For each query the table keeps the items sent to the client and those changed since, each item once: a slow client
/// receives the newest state, and its queue is never longer than the number of items.
package struct QueryTable: Sendable {
    package typealias QueryID = UInt64
    package typealias ItemNumber = UInt64

    fileprivate struct Query {
        let predicate: PreparedPredicate
        let scope: QueryScope
        let endings: Set<String>?
        /// The client's items, each with the mark of its sent state.
        var known: [ItemNumber: Int] = [:]
        /// Items to be evaluated again for the client.
        var dirty: Set<ItemNumber> = []
        /// Whether rows are being read to be sent to the client: a change during that time may be newer than the rows
        /// read.
        var isReading = false
    }

    private var queries: [QueryID: Query] = [:]
    /// The queries matching only some endings, by ending; and the rest.
    private var byEnding: [String: Set<QueryID>] = [:]
    private var general: Set<QueryID> = []
    private var lastID: QueryID = 0

    package init() {}

    package var isEmpty: Bool { queries.isEmpty }
    package var count: Int { queries.count }

    // MARK: Queries

    package mutating func add(_ predicate: Predicate, _ scope: QueryScope) -> QueryID {
        lastID += 1
        let query = Query(predicate: PreparedPredicate(predicate), scope: scope, endings: predicate.endings)
        queries[lastID] = query
        if let endings = query.endings {
            for ending in endings { byEnding[ending, default: []].insert(lastID) }
        } else {
            general.insert(lastID)
        }
        return lastID
    }

    package mutating func remove(_ id: QueryID) {
        guard let query = queries.removeValue(forKey: id) else { return }
        general.remove(id)
        for ending in query.endings ?? [] {
            byEnding[ending]?.remove(id)
            if byEnding[ending]?.isEmpty == true { byEnding[ending] = nil }
        }
    }

    // MARK: Changes

    /// Records that an item changed, appeared, or was removed (no subject).
    ///
    /// - Returns: The queries of the clients to notify.
    package mutating func changed(_ item: ItemNumber, _ subject: (some LiveSubject)?) -> [QueryID] {
        let candidates = candidates(subject)
        var woken: [QueryID] = []
        var settled: [QueryID] = []
        for (id, query) in queries {
            let isConcerned =
                query.isReading || query.known[item] != nil
                || candidates.map { $0.contains(id) } ?? true && subject.map { query.accepts($0) } ?? false
            if isConcerned {
                woken.append(id)
            } else if query.dirty.contains(item) {
                settled.append(id)
            }
        }
        // Not during the iteration, as each change would copy the queue.
        for id in woken { queries[id]?.dirty.insert(item) }
        for id in settled { queries[id]?.dirty.remove(item) }
        return woken
    }

    /// Returns the queries possibly matching an item; nil for all.
    private func candidates(_ subject: (some LiveSubject)?) -> Set<QueryID>? {
        guard let subject else { return general }
        guard let ending = subject.ending else { return nil }
        return byEnding[ending].map { $0.union(general) } ?? general
    }

    // MARK: Notifying the client

    /// Marks a query as reading rows, until ``update(_:_:of:)``.
    package mutating func beginReading(_ id: QueryID) { queries[id]?.isReading = true }

    /// Removes and returns up to `limit` of the changed items.
    package mutating func takeDirty(of id: QueryID, limit: Int) -> [ItemNumber] {
        let items = (queries[id]?.dirty.prefix(limit)).map(Array.init) ?? []
        queries[id]?.dirty.subtract(items)
        return items
    }

    package func hasChanges(_ id: QueryID) -> Bool { queries[id].map { !$0.dirty.isEmpty } ?? false }

    /// Returns a client's update: the currently matching items, each with a mark that differs if the sent facts differ,
    /// and the items no longer matching or gone.
    package mutating func update(
        _ present: [(item: ItemNumber, mark: Int)], _ absent: [ItemNumber], of id: QueryID
    ) -> Update {
        var update = Update()
        guard queries[id] != nil else { return update }
        queries[id]?.isReading = false
        for (item, mark) in present {
            switch queries[id]?.known.updateValue(mark, forKey: item) {
            case nil: update.added.append(item)
            case mark: break
            case .some: update.changed.append(item)
            }
        }
        update.removed = absent.filter { queries[id]?.known.removeValue(forKey: $0) != nil }
        return update
    }

    package struct Update: Sendable, Equatable {
        package var added: [ItemNumber] = []
        package var changed: [ItemNumber] = []
        package var removed: [ItemNumber] = []
        package init() {}
    }

    /// Returns how many items a client has.
    package func knownCount(of id: QueryID) -> Int { queries[id]?.known.count ?? 0 }

    /// The number of queued items, of all clients.
    package var dirtyCount: Int { queries.values.reduce(0) { $0 + $1.dirty.count } }
}

extension QueryTable.Query {
    fileprivate func accepts(_ subject: some LiveSubject) -> Bool {
        scope.holds(subject) && predicate.matches(subject)
    }
}
