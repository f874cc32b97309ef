import Basics
import CloudModel
package import CloudStorage
import ContainerLog
package import LocalMetadata
import Logging

/// Folds log entries into the database and updates the shown tree accordingly, in a transaction per entry.
package struct LogFollower: Sendable {
    let context: EngineContext

    package init(_ context: EngineContext) { self.context = context }

    /// Folds an entry. Throws ``LogError``, without any change, if this program is too old for it.
    package func fold(_ record: LogRecord, in container: LocalContainer) throws {
        let batch: ChangeBatch?
        do { batch = try ChangeBatch(decoding: record.payload) } catch {
            // The cloud vouches for the bytes, so every device reads the same entry and treats it as void.
            guard case .damaged(let what) = error else { throw error }
            context.log.error(
                "passed over a log entry", metadata: ["sequence": "\(record.sequence)", "why": "\(what)"])
            batch = nil
        }
        batch.map { context.namesakes.look(at: $0, device: context.device, name: context.deviceName) }
        var renewed: DeviceID?
        try withPermit(batch?.changes.compactMap(\.item) ?? [], in: container) { held, transaction, effects in
            renewed = nil
            let origin = batch.map { EntryOrigin(device: $0.deviceName, time: $0.time) }
            var tree = transaction.remote(in: container.id, now: context.time.now(), origin: origin)
            guard let batch else { return try ContainerReducer().foldVoid(at: record.position, into: &tree) }
            var follower = follower(transaction, container.id, held: held)
            let isVoid = try ContainerReducer().isVoid(batch, in: tree)
            let author = BatchAuthor(device: batch.device, number: batch.deviceSequence)
            let isOwn = try transaction.pending.hasMade(record.payload, of: author, in: container.id)
            if try !isOwn && batch.device == context.device && author.number > tree.lastSequence(of: author.device) {
                renewed = try renewDevice(transaction)
            }
            // This device's own batches set no package aside.
            let aside =
                isOwn || isVoid
                ? [] : try follower.setAsidePackages(changedBy: batch, deviceName: context.deviceName)
            let removed = isVoid ? [] : try removedVersions(batch, tree, transaction)
            let result = try ContainerReducer().fold(batch, at: record.position, into: &tree)
            for version in removed {
                try transaction.history.removeVersion(version.version, of: version.item, in: container.id)
                effects.lostVersions.append(version)
            }
            if !isVoid { try removeDeletions(batch, tree, transaction) }
            if isOwn || author.device == context.device {
                try endWaiting(
                    for: author, record.payload, isRefused: result.isRefused, in: container.id, transaction)
            }
            try follow(batch, result, aside, isOwn: isOwn, in: container, transaction, &follower)
            effects.add(follower.effects)
            effects.keyValues += try keyValueChanges(batch, result, isOwn: isOwn, container, transaction)
        }
        if let batch { note(batch, record, in: container) }
        if let renewed { noteRenewal(renewed, record, in: container) }
    }

    private func note(_ batch: ChangeBatch, _ record: LogRecord, in container: LocalContainer) {
        context.log.debug(
            "followed an entry of the log",
            metadata: [
                "container": "\(container.name)", "entry": "\(record.sequence)", "of": "\(batch.deviceName)",
                "changes": "\(batch.changes.count)",
            ])
    }

    /// Gives this device a new id: the log has an entry under its id but not from this state, so the state is a
    /// restored older one, or a copy of a state in use.
    private func renewDevice(_ transaction: MetadataTransaction) throws -> DeviceID {
        // Odd, as all ids of devices.
        let id = DeviceID(context.newID().low | 1)
        try transaction.renewDevice(id, at: context.time.now())
        return id
    }

    private func noteRenewal(_ id: DeviceID, _ record: LogRecord, in container: LocalContainer) {
        context.identity.change(to: id)
        context.log.notice(
            """
            this device's state was restored from a backup or is a copy of another device's: the log has an entry of this device that this \
            state did not make. The device has a new id, and follows those entries as another device's
            """, metadata: ["container": "\(container.name)", "entry": "\(record.sequence)", "id": "\(id)"])
    }

    private func follow(
        _ batch: ChangeBatch, _ result: FoldResult, _ aside: [TreeFollower.SetAside], isOwn: Bool,
        in container: LocalContainer, _ transaction: MetadataTransaction, _ follower: inout TreeFollower
    ) throws {
        var touched = result.touched
        // Before rows are merged: a sent change is agreed for its own row alone.
        if isOwn {
            touched += try confirm(batch, result, &follower)
        }
        for merge in result.merged { try follower.unite(merge.from, into: merge.into) }
        var seen: Set<ItemID> = []
        for id in touched where seen.insert(id).inserted { try follower.follow(id) }
        try follower.showWaiting()
        try follower.showAgain(aside)
        try follower.nameSiblings()
        try follower.showContainer()
    }

    /// Returns the versions removed from the history by the batch. A version still in conflict moves there when it is
    /// resolved.
    private func removedVersions(
        _ batch: ChangeBatch, _ tree: RemoteTree, _ transaction: MetadataTransaction
    ) throws -> [HistoricVersion] {
        try batch.changes.flatMap { change -> [HistoricVersion] in
            guard case .resolve(let named, let versions) = change else { return [] }
            let item = try tree.alias(of: named) ?? named
            return try versions.compactMap { try transaction.history.version($0, of: item, in: tree.container) }
        }
    }

    /// Removes the deletions of tombstones whose versions the batch removes: no device can restore them any longer.
    private func removeDeletions(
        _ batch: ChangeBatch, _ tree: RemoteTree, _ transaction: MetadataTransaction
    ) throws {
        for case .resolve(let named, let versions) in batch.changes {
            guard let item = try tree.item(try tree.alias(of: named) ?? named), item.isDeleted,
                versions.contains(item.version)
            else { continue }
            try transaction.history.removeDeletion(of: item.id, in: tree.container)
        }
    }

    private func keyValueChanges(
        _ batch: ChangeBatch, _ result: FoldResult, isOwn: Bool, _ container: LocalContainer,
        _ transaction: MetadataTransaction
    ) throws -> [KeyValueChange] {
        let changed = try transaction.keyValues.changedKeys(in: container.id)
        guard !changed.isEmpty else { return [] }
        let refused = isOwn ? changed.intersection(result.refusedKeys) : []
        let reason: KeyValueChange.Reason =
            try transaction.setting(LocalContainer.seenKey(container.id)) == nil ? .initialSync : .serverChange
        return [(KeyValueChange.Reason.quotaViolation, refused), (reason, changed.subtracting(refused))].filter {
            !$0.1.isEmpty
        }.map { KeyValueChange(container: container.id, reason: $0.0, keys: $0.1) }
    }

    /// Ends waiting for the batch being sent once the log has passed its number: the log shows it, has refused it, or
    /// had a different batch of that number before.
    private func endWaiting(
        for author: BatchAuthor, _ payload: [UInt8], isRefused: Bool, in container: ContainerID,
        _ transaction: MetadataTransaction
    ) throws {
        if let waiting = try transaction.pending.batch(of: container), waiting.device == author.device,
            waiting.deviceSequence <= author.number
        {
            if !isRefused, waiting.payload == payload {
                try transaction.pending.removeBatch(of: container)
            } else {
                try transaction.withdrawBatch(of: container)
            }
        }
        try transaction.pending.forgetMade(upTo: author, in: container)
    }

    private func confirm(
        _ batch: ChangeBatch, _ result: FoldResult, _ follower: inout TreeFollower
    ) throws -> [ItemID] {
        let (transaction, container) = (follower.transaction, follower.container)
        guard !result.isRepeat, !result.isRefused else { return [] }
        var own = OwnChanges(transaction, container: container, merged: Set(result.merged.map(\.from)))
        let items = try batch.changes.compactMap { try own.confirm($0) }
        for known in batch.packages {
            // A deletion waiting behind this batch would else yield to this device's own change of the package.
            guard var agreed = try transaction.synced.item(known.package, in: container),
                let version = try transaction.remote(known.package, in: container)?.version
            else { continue }
            agreed.version = version
            try transaction.synced.set(agreed, in: container)
        }
        for folder in own.left {
            if let node = try transaction.local.node(of: folder, in: container) { follower.freed.insert(node) }
        }
        return items
    }

    /// Retries items that could not follow yet because their names were taken or the files were being written.
    package func followUnsettled(in container: LocalContainer) throws {
        let ids = try context.metadata.read { try $0.synced.unsettled(in: container.id, limit: 2_000) }
        guard !ids.isEmpty else { return }
        try follow(ids, in: container)
    }

    /// Updates items to the state of the log, although the entry did not change them.
    func follow(_ ids: [ItemID], in container: LocalContainer) throws {
        try withPermit(ids, in: container) { held, transaction, effects in
            var follower = follower(transaction, container.id, held: held)
            for id in ids { try follower.follow(id) }
            try follower.showWaiting()
            try follower.nameSiblings()
            try follower.showContainer()
            effects = follower.effects
        }
    }

    package func follower(
        _ transaction: MetadataTransaction, _ container: ContainerID, held: Set<NodeID> = []
    ) -> TreeFollower {
        let mounted = context.mounted
        return TreeFollower(
            transaction, container: container, now: context.time.now(), newID: context.newID, held: held,
            log: context.log
        ) { mounted.isOpen($0) }
    }

    // MARK: Coordination

    /// Changes the tree while no program can begin to read or write these items under a claim. `body` receives the
    /// items already held: their shown state must not be changed, and nothing else waits for them.
    private func withPermit(
        _ ids: [ItemID], in container: LocalContainer,
        _ body: (_ held: Set<NodeID>, MetadataTransaction, inout TreeEffects) throws -> Void
    ) throws {
        if context.permits.areFree {
            do {
                return try context.changeTree(.uploading, ifFree: true) { try body([], $0, &$1) }
            } catch is PermitNeeded {}
        }
        let nodes = try context.metadata.read { transaction in
            try Set(ids).compactMap { try transaction.local.node(of: $0, in: container.id) }
        }
        var ends: [PermitRelease] = []
        var held: Set<NodeID> = []
        defer { for end in ends { end() } }
        for node in nodes {
            if case .now(let end) = context.permits.ask(.follow, for: node) {
                ends.append(end)
            } else {
                held.insert(node)
            }
        }
        if !held.isEmpty { context.permits.noteDeferral() }
        // The log is followed on the way to uploading local changes, hence `.uploading`.
        try context.changeTree(.uploading) { try body(held, $0, &$1) }
    }
}
