import Basics
import CloudModel
package import ContainerLog
package import LocalMetadata
import Logging

/// Creates batches. A batch is stored before it is sent and until the log shows it: after a crash at any point the same
/// bytes are sent again, and the log recognises the repeat.
package struct Outbox: Sendable {
    let context: EngineContext

    package struct Batch {
        package let payload: [UInt8]
        /// Whether the batch reached its maximum size, so that there may be more to send.
        package let isFull: Bool
    }

    package init(_ context: EngineContext) { self.context = context }

    /// Returns the batch to send: the stored batch, or a new one with the settled changes. Returns nil if there is
    /// nothing to send.
    package func next(in container: LocalContainer) throws -> Batch? {
        if let waiting = try context.metadata.read({ try $0.pending.batch(of: container.id) }) {
            // The stored batch may not be durable: the sync may have failed, or the process may have died before it.
            try context.metadata.makeDurable()
            return Batch(payload: waiting.payload, isFull: true)
        }
        try context.followClock()
        let due = context.time.now().adding(.zero - context.settle)
        guard try context.metadata.read({ try hasWork(in: container.id, before: due, $0) }) else { return nil }
        let (held, ends) = try heldPackages(before: due)
        defer { for end in ends { end() } }
        let (batch, unsettled) = try context.metadata.write(.uploading) {
            try build(in: container, before: due, held: held, $0)
        }
        if !unsettled.isEmpty { try LogFollower(context).follow(unsettled, in: container) }
        if batch != nil { try context.metadata.makeDurable() }
        return batch
    }

    /// Returns the packages being written under a claim, and permits for the rest, to be held until the batch is
    /// complete.
    private func heldPackages(before due: Timestamp) throws -> (Set<NodeID>, [PermitRelease]) {
        guard !context.permits.areFree else { return ([], []) }
        var memory = PackageMemory()
        let packages = try context.metadata.read { transaction in
            Set(
                try transaction.pending.items(before: due, limit: 10_000).compactMap {
                    try memory.package(around: $0, transaction)
                })
        }
        var (held, ends): (Set<NodeID>, [PermitRelease]) = ([], [])
        for package in packages {
            if case .now(let end) = context.permits.ask(.send, for: package) {
                ends.append(end)
            } else {
                held.insert(package)
            }
        }
        if !held.isEmpty { context.permits.noteDeferral() }
        return (held, ends)
    }

    private func hasWork(in container: ContainerID, before due: Timestamp, _ transaction: MetadataTransaction) throws
        -> Bool
    {
        try !transaction.pending.ready(in: container, before: due, limit: 1).isEmpty
            || !transaction.pending.announceable(in: container, before: due, from: context.announcedSize, limit: 1)
                .isEmpty
            || !transaction.pending.unsentDepartures(in: container, before: due, limit: 1).isEmpty
            || !transaction.pending.unsentResolutions(in: container).isEmpty
            || (context.keyValueThrottle.maySend(
                of: container, at: context.time.now(), isUrgent: context.urgency.isUrgent)
                && !transaction.keyValues.unsent(in: container, before: due, limit: 1).isEmpty)
    }

    private func build(
        in container: LocalContainer, before due: Timestamp, held: Set<NodeID>, _ transaction: MetadataTransaction
    ) throws -> (batch: Batch?, unsettled: [ItemID]) {
        var builder = BatchBuilder(
            transaction, container: container.id, announcedSize: context.announcedSize, settledBefore: due, held: held)
        try builder.addReady(before: due)
        let departures = try transaction.pending.unsentDepartures(
            in: container.id, before: due, limit: BatchBuilder.limit)
        for departure in departures where !builder.isFull {
            try builder.add(departure)
        }
        try builder.add(transaction.pending.unsentResolutions(in: container.id), untilFull: true)
        if context.keyValueThrottle.maySend(
            of: container.id, at: context.time.now(), isUrgent: context.urgency.isUrgent)
        {
            let values = try transaction.keyValues.unsent(in: container.id, before: due, limit: BatchBuilder.limit)
            if try builder.add(values) { context.keyValueThrottle.noteSent(of: container.id, at: context.time.now()) }
        }
        let unsettled = try settle(builder.quiet, in: container.id, transaction) + builder.returning
        guard !builder.changes.isEmpty else { return (nil, unsettled) }
        let payload = try store(builder.changes, in: container, transaction)
        context.log.debug(
            "made a batch",
            metadata: [
                "container": "\(container.name)",
                "changes": "\(builder.changes.map(\.kindName).joined(separator: " "))",
            ])
        return (Batch(payload: payload, isFull: builder.isFull), unsettled)
    }

    /// Settles items that turned out to equal the log's. Returns the documents in conflict among them, which have to be
    /// followed instead: a document renamed and then renamed back before the log had either change has siblings named
    /// after the intermediate name.
    private func settle(
        _ quiet: [ItemID], in container: ContainerID, _ transaction: MetadataTransaction
    ) throws -> [ItemID] {
        try quiet.filter { id in
            guard var item = try transaction.local.item(id, in: container),
                try transaction.synced.item(id, in: container) != nil
            else { return false }
            guard try transaction.local.siblings(of: id, in: container).isEmpty else { return true }
            item.pendingSince = nil
            try transaction.local.update(item)
            return false
        }
    }

    private func store(
        _ changes: [Change], in container: LocalContainer, _ transaction: MetadataTransaction
    ) throws -> [UInt8] {
        let payload = try transaction.send(changes, in: container.id, context)
        for change in changes { try noteSent(change, in: container, transaction) }
        return payload
    }

    private func noteSent(
        _ change: Change, in container: LocalContainer, _ transaction: MetadataTransaction
    ) throws {
        switch change {
        case .create(let id, _, _, _, _):
            // From here on its deletion has to be sent, even if no device has seen it yet.
            guard var item = try transaction.local.item(id, in: container.id), !item.isKnown else { return }
            item.isKnown = true
            try transaction.local.update(item)
        case .setAttributes(let id, let attributes):
            // Without it, the row would count as having removed the attribute.
            guard case .some(.some(let announced)) = attributes.extended[ReservedAttribute.announcedEdit],
                var item = try transaction.local.item(id, in: container.id)
            else { return }
            item.attributes.extended[ReservedAttribute.announcedEdit] = announced
            try transaction.local.update(item)
        default: break
        }
    }
}

extension MetadataTransaction {
    /// Creates a batch of changes and stores it until the log shows it.
    @discardableResult
    package func send(_ changes: [Change], in container: ContainerID, _ context: EngineContext) throws -> [UInt8] {
        let tree = remote(in: container)
        let packages = try tree.packages(changedBy: changes).prefix(ChangeBatch.maximumPackages)
        let author = BatchAuthor(
            device: context.device, number: try tree.lastSequence(of: context.device) + 1)
        let batch = ChangeBatch(
            device: author.device, deviceName: context.deviceName, deviceSequence: author.number,
            time: context.time.now(), base: try tree.state().position, packages: Array(packages),
            // Its contents are verified under this epoch or a later one before each append (``ContentGate``).
            collection: try tree.collectionEpochs().proposed, changes: changes)
        let payload = try batch.encoded()
        try pending.setBatch(payload, of: author, in: container)
        return payload
    }
}
