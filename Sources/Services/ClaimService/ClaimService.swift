import Basics
import CloudModel
package import Coordination
package import LocalMetadata
package import Logging
package import Sync
import Synchronization
package import VirtualFileSystem

/// The daemon's arbiter with its inputs: client requests, tree changes, and stopped or dead programs.
package final class ClaimService: TreeObserver {
    let clients: ClientClaims
    let arbiter: Arbiter<ContinuousClock>
    /// The threads of plain programs waiting in an open or requesting a permit.
    let openers = Mutex<[ClaimID: Int32]>([:])
    package let attributes = AttributeWatch()
    /// Rung when a program has a claim or a presenter.
    let watched = Wakeup()
    package let known = ItemCache()
    private let prompt = Mutex(())
    private let tree: MetadataItemTree
    /// Whether the engine has postponed something until a claim ends.
    private let isDeferred = Atomic(false)
    private let onClaimEnd = Hook<Void>()
    /// Replacements of removed items, kept between the reports of removals and of moves.
    private let successors = Mutex<Set<NodeID>>([])

    /// - Parameter maximumClaims: Upper bound of a connection's claims and waiting requests.
    package init(_ metadata: MetadataDatabase, maximumClaims: Int, log: Logger) {
        clients = ClientClaims(maximumClaims: maximumClaims, log: log)
        tree = MetadataItemTree(metadata: metadata, known: known, log: log)
        arbiter = Arbiter(tree: tree, messenger: clients, clock: .continuous)
    }

    package var snapshot: ClaimSnapshot { arbiter.snapshot() }

    // MARK: Clients

    /// Requests a claim for a client, after ``makeRoom(for:)``. Returns immediately; `outcome` is called once.
    package func open(
        _ request: ClaimRequest, for client: any ClaimClient,
        _ outcome: @escaping @Sendable (Result<[ItemKey], ClaimError>) -> Void
    ) {
        let log = clients.log
        let id = arbiter.open(request) { result in
            log.debug(
                "a claim is decided",
                metadata: ["program": "\(client.program)", "outcome": "\(result.map { "\($0.count) items" })"])
            outcome(result)
        }
        guard !clients.note(id, of: client) else { return }
        abandon(id, of: client)
        clients.remove(client.request, of: client)
    }

    /// Serializes calls of `body`, so that claims opened at the same time do not compete for the file system's locks.
    /// First in the lock order, before those locks.
    package func oneAtATime<T>(_ body: () throws -> T) rethrows -> T { try prompt.withLock { _ in try body() } }

    // MARK: The engine

    /// Registers `action`, to be called when a claim with postponed work has ended.
    package func whenClaimEnds(_ action: @escaping @Sendable () -> Void) { onClaimEnd.set(action) }

    package func noteDeferral() { isDeferred.store(true, ordering: .sequentiallyConsistent) }

    func claimEnded() {
        guard isDeferred.exchange(false, ordering: .sequentiallyConsistent) else { return }
        onClaimEnd()
    }

    // MARK: Presenters

    /// Registers a presenter of a client, inside ``addPresenter(of:_:)``.
    package func present(_ registration: PresenterRegistration) -> PresenterID {
        let id = arbiter.register(registration)
        if registration.callbacks.contains(.didChangeUbiquityAttributes) { attributes.add(id) }
        return id
    }

    /// Returns the presenter's current item or name.
    package func place(of presenter: PresenterID) -> ItemKey? { arbiter.key(of: presenter) }

    /// Removes a presenter. Returns false if the client has no such presenter.
    package func withdraw(_ presenter: PresenterID, of client: any ClaimClient) -> Bool {
        guard arbiter.unregister(presenter, of: ClientID(client.connection)) else { return false }
        clients.deliveries.remove(presenter, of: client)
        attributes.remove(presenter)
        return true
    }

    package func answer(_ question: AskID, _ answer: PresenterReply, of client: any ClaimClient) {
        arbiter.answer(question, answer, of: ClientID(client.connection))
    }

    // MARK: Ends

    package func finish(_ request: UInt64, of client: any ClaimClient) -> ClientClaims.End {
        let end = clients.finish(request, of: client)
        if case .claim(let id) = end { abandon(id, of: client) }
        if end != .calledOff { clients.remove(request, of: client) }
        return end
    }

    /// Ends a claim whether it waits or is held; it may be granted meanwhile.
    func abandon(_ id: ClaimID, of client: any ClaimClient) {
        arbiter.abandon(id, of: ClientID(client.connection))
        claimEnded()
    }

    /// Removes all claims and presenters of a disconnected client, so that waiting clients continue immediately.
    package func end(_ connection: UInt64) {
        clients.removeAll(of: connection)
        clients.deliveries.removeAll(of: connection)
        arbiter.end(ClientID(connection))
        claimEnded()
    }

    // MARK: The tree

    package func happened(_ change: TreeChange) {
        // A claim or presenter is added before its items are looked up, and no change of names is under way then.
        guard !(clients.isEmpty && clients.deliveries.isEmpty) else { return }
        switch change {
        case .created(let item):
            arbiter.handle(at: .vacant(item.place), in: item.place.folder) {
                .created(ItemNumber(item.node), at: item.place, by: $0)
            }
        case .removed(let item): removed(item)
        case .replaced(let item, let new):
            arbiter.handle(at: item.key, in: item.place.folder) {
                .replaced(ItemNumber(item.node), with: ItemNumber(new.node), by: $0)
            }
        case .moved(let item, let folder, let name): moved(item, to: ItemPlace(folder: ItemNumber(folder), name: name))
        case .changed(let node) where !clients.deliveries.isEmpty:
            let item = ItemNumber(node)
            arbiter.handle(at: .item(item), in: tree.entry(of: item)?.parent) { .changed(item, by: $0) }
        // A change without a move concerns presenters only, and there are none.
        case .changed: break
        }
    }

    /// Handles remote changes: moved items, and names with a new item. ``contentChanged(of:)`` has to follow.
    package func changed(_ effects: TreeEffects) {
        // A replacement was reported as the replaced item's successor.
        let successors = successors.withLock { successors in
            defer { successors = [] }
            return successors
        }
        guard !(clients.isEmpty && clients.deliveries.isEmpty) else { return }
        for (node, entry) in effects.moved.sorted(by: { $0.key < $1.key }) where !successors.contains(node) {
            moved(node, from: ItemPlace(folder: ItemNumber(entry.parent), name: entry.name))
        }
        guard !clients.deliveries.isEmpty else { return }
        for entry in effects.changedEntries {
            let place = ItemPlace(folder: ItemNumber(entry.parent), name: entry.name)
            guard let item = tree.item(at: place), effects.moved[item.node] == nil else { continue }
            guard !effects.changedNodes.contains(item.node) else {
                stoodAside(item) { document in
                    effects.changedEntries.contains { $0.parent == document.parent && $0.name == document.name }
                }
                continue
            }
            arbiter.handle(.created(item, at: place, by: nil))
            tree.row(of: item).map { tell($0, .gained) }
        }
    }

    /// Handles remote content and attributes. Must be called once the kernel has the new attributes: a presenter still
    /// seeing the former modification time would take the document for unchanged, and would not be notified again.
    package func contentChanged(of nodes: Set<NodeID>) {
        guard !clients.deliveries.isEmpty else { return }
        for node in nodes where tree.hasContent(ItemNumber(node)) {
            arbiter.handle(.changed(ItemNumber(node), by: nil))
        }
    }

    /// Moves claims and presenters to the item's new place in the log.
    private func moved(_ node: NodeID, from place: ItemPlace) {
        // An item gone by now was reported as deleted.
        guard let item = tree.row(of: ItemNumber(node)), item.place != place else { return }
        // A package whose name went to its conflicting document is still the document to its presenters.
        if item.packageConflict != nil, let document = tree.document(of: item),
            tree.row(of: document.item)?.place == place
        {
            return stoodAside(ItemNumber(node)) { $0.place == place }
        }
        arbiter.handle(.moved(ItemNumber(node), from: place, to: item.place, by: nil))
    }

    /// Handles the arrival of a package as a conflict version. If it had the document's name before, that name's
    /// presenters now present its current item.
    private func stoodAside(_ item: ItemNumber, hadNameOf: (LocalItem) -> Bool) {
        guard let row = tree.row(of: item), row.packageConflict != nil, let document = tree.document(of: row) else {
            return
        }
        if let successor = tree.row(of: document.item), hadNameOf(successor) {
            arbiter.handle(.replaced(item, with: document.item, by: nil))
        }
        tell(row, .gained)
    }

    /// Handles history versions removed by a program, locally or remotely.
    package func lost(_ versions: [HistoricVersion]) {
        guard !clients.deliveries.isEmpty else { return }
        for version in versions {
            guard let item = tree.item(version.item, in: version.container) else { continue }
            arbiter.handle(.versionChanged(item, version.version, .lost))
        }
    }

    /// Handles a removed item. An item whose version was swapped while it was open has a new number at its old place.
    private func removed(_ item: LocalItem) {
        tell(item, .resolved)
        let successor = successor(of: item)
        arbiter.handle(at: item.key, in: item.place.folder) { writer in
            if let successor { return .replaced(ItemNumber(item.node), with: successor, by: writer) }
            return .deleted(ItemNumber(item.node), from: item.place, by: writer)
        }
    }

    /// Returns the same item under its new number, wherever it is now; else its replacement.
    private func successor(of item: LocalItem) -> ItemNumber? {
        if let same = tree.item(item.item, in: item.container), same != ItemNumber(item.node) { return same }
        guard let other = tree.item(at: item.place), other != ItemNumber(item.node) else { return nil }
        successors.withLock { _ = $0.insert(other.node) }
        return other
    }

    /// Notifies a document's presenters of a change to one of its conflict siblings.
    private func tell(_ sibling: LocalItem, _ change: VersionChange) {
        guard let document = tree.document(of: sibling) else { return }
        arbiter.handle(.versionChanged(document.item, document.version, change))
    }

    /// Handles a move. vim and other editors rename the document to a backup and create a new file in its place.
    private func moved(_ item: LocalItem, to place: ItemPlace) {
        // A renamed sibling becomes a document.
        tell(item, .resolved)
        let rules = ExclusionRules.standard
        let isSetAside = place.folder == item.place.folder && rules.excludes(place.name) && !rules.excludes(item.name)
        arbiter.handle(at: item.key, in: item.place.folder) { writer in
            isSetAside
                ? .setAside(ItemNumber(item.node), from: item.place)
                : .moved(ItemNumber(item.node), from: item.place, to: place, by: writer)
        }
    }

    /// Notifies presenters of ubiquity attributes changed since the last call.
    package func tellAttributes(writes: UInt64, isMoving: Bool, _ status: (NodeID) throws -> DocumentStatus) {
        let changes = attributes.look(writes: writes, isMoving: isMoving) { presenter in
            guard let key = arbiter.key(of: presenter) else {
                // The presenter's client is gone.
                attributes.remove(presenter)
                return nil
            }
            // An item removed between the two lookups has no state.
            guard case .item(let item) = key, let status = try? status(item.node) else { return nil }
            return (item, UbiquityFacts(status))
        }
        for (item, changed) in changes.sorted(by: { $0.key < $1.key }) {
            arbiter.handle(.attributesChanged(item, changed))
        }
    }

    // MARK: Stopped programs

    /// Checks each second for stopped programs among those with claims, while there are any: the kernel does not notify
    /// a process when another is stopped.
    package func watchStoppedPrograms(clock: any Clock<Duration> = .continuous) async {
        var stopped: Set<ClientID> = []
        while !Task.isCancelled {
            // At most once a second, however many claims begin and end.
            if stopped.isEmpty, clients.processes.isEmpty { await watched.wait(atMost: .seconds(3_600), clock: clock) }
            // Only cancellation ends the sleep early, and then the loop.
            try? await clock.sleep(for: .seconds(1))
            let now = Set(clients.processes.filter { ProcessState.isStopped($0.value) }.keys)
            for client in now.subtracting(stopped) { arbiter.handle(.clientFroze(client)) }
            for client in stopped.subtracting(now) { arbiter.handle(.clientThawed(client)) }
            stopped = now
        }
    }
}

extension LocalItem {
    package var key: ItemKey { .item(ItemNumber(node)) }
    package var place: ItemPlace { ItemPlace(folder: ItemNumber(parent), name: name) }
}
