import Basics
package import CloudModel

/// Interprets a log: every device and the server fold the same entries into the same tree. Pure: it reads and writes
/// only its store, and uses no clock and no randomness. Total: any change has a defined result, possibly "void".
///
/// For the rules and their reasons, see docs/LOG.md.
package struct ContainerReducer: Sendable {
    /// The newest version of the rules in this release; ``FoldRules`` has all of them.
    package static let knownRules = FoldRules.newest.version

    package init() {}

    /// Creates each container's standard folders in an empty store. Does nothing if the store has them.
    package static func initialise(_ store: inout some TreeStore, foldsNames: Bool) throws {
        guard try store.item(.root) == nil else { return }
        var state = try store.state()
        state.foldsNames = foldsNames
        try store.setState(state)
        try store.put(wellKnown(.root, in: .nowhere, bytes: Array("container".utf8)))
        try store.put(wellKnown(.documents, in: .root, bytes: Array("Documents".utf8)))
    }

    /// Folds an entry. Throws the store's errors, ``LogError/gap(expected:found:)`` and
    /// ``LogError/rulesTooNew(needed:known:)``; the latter two before any change.
    package func fold<Store: TreeStore>(
        _ batch: ChangeBatch, at position: LogPosition, into store: inout Store
    ) throws -> FoldResult {
        var state = try stateAfter(position, in: store)
        guard try batch.deviceSequence > store.lastSequence(of: batch.device) else {
            try store.setState(state)
            return FoldResult(isRepeat: true)
        }
        try Self.initialise(&store, foldsNames: state.foldsNames)
        guard try !refuses(batch, in: store) else {
            try store.setLastSequence(batch.deviceSequence, of: batch.device)
            try store.setState(state)
            return FoldResult(isRefused: true)
        }
        state.time = LogClock.advance(state.time, to: batch.time)
        let types = try store.packageTypes()
        let rules = FoldRules.version(max(state.rules, batch.rules))
        // The store is moved, not copied, so that a tree held by value is changed in place.
        var fold = Fold(store: consume store, state: state, batch: batch, rules: rules, packageTypes: types)
        let outcome = Result { try fold.run(batch) }
        store = fold.store
        try outcome.get()
        return fold.result
    }

    /// Whether the batch leaves the tree unchanged, because it is a repeat or refused.
    package func isVoid(_ batch: ChangeBatch, in store: some TreeStore) throws -> Bool {
        try batch.deviceSequence <= store.lastSequence(of: batch.device) || refuses(batch, in: store)
    }

    /// Whether folding the batch would lose something: either another batch has since changed one of its packages, so
    /// that the package would mix both sets of changes; or a collection unknown to its device has begun, and may remove
    /// chunks of its contents.
    private func refuses(_ batch: ChangeBatch, in store: some TreeStore) throws -> Bool {
        if batch.bringsContents, try batch.collection < store.collectionEpochs().begun { return true }
        return try batch.packages.contains { known in
            guard let item = try store.standing(for: known.package), item.body == .folder else { return true }
            return item.version != known.version
        }
    }

    /// Skips an invalid batch whose bytes the cloud guarantees: every device sees the same bytes, so the entry is void
    /// for all of them.
    package func foldVoid(at position: LogPosition, into store: inout some TreeStore) throws {
        try store.setState(stateAfter(position, in: store))
    }

    private func stateAfter(_ position: LogPosition, in store: some TreeStore) throws -> LogState {
        var state = try store.state()
        guard position.sequence == state.sequence.next else {
            throw LogError.gap(expected: state.sequence.next, found: position.sequence)
        }
        guard state.rules <= Self.knownRules else {
            throw LogError.rulesTooNew(needed: state.rules, known: Self.knownRules)
        }
        state.position = position
        return state
    }

    private static func wellKnown(_ id: ItemID, in parent: ItemID, bytes: [UInt8]) throws -> CloudItem {
        CloudItem(
            id: id, parent: parent, name: try ItemName(bytes: bytes),
            attributes: ItemAttributes(permissions: 0o755, modified: .zero, created: .zero), body: .folder,
            version: VersionID(sequence: .zero, index: 0), author: DeviceID(0), authorName: "")
    }
}

extension ItemID {
    /// The root's parent. No item has this id, so upward walks end and no listing contains the root.
    package static let nowhere = ItemID(high: 0, low: 0)
}
