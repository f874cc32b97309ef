import CloudModel

/// One entry being folded: the store, the entry's place in the log, and what was touched so far. Each rule is an
/// extension.
struct Fold<Store: TreeStore> {
    var store: Store
    var state: LogState
    let author: DeviceID
    let authorName: String
    /// Those of the entries before this one.
    let packageTypes: PackageTypes
    private(set) var result = FoldResult()

    private var seen: Set<ItemID> = []
    private var index: UInt32 = 0

    init(store: consuming Store, state: LogState, batch: ChangeBatch, packageTypes: PackageTypes) {
        self.store = store
        self.state = state
        author = batch.device
        authorName = batch.deviceName
        self.packageTypes = packageTypes
    }

    /// The version of a content that the present change brings.
    var version: VersionID { VersionID(sequence: state.sequence, index: index) }

    mutating func run(_ batch: ChangeBatch) throws {
        var rules = state.rules
        for change in batch.changes {
            // One step an entry, or one bogus number would lock every device out for good.
            if case .raiseRules(let raised) = change, raised == state.rules &+ 1 { rules = raised }
            try apply(change)
            index += 1
        }
        // Behind what is in them, which has to be gone before a folder that goes is looked at.
        for known in batch.packages { try noteChange(of: known.package) }
        state.rules = max(state.rules, rules)
        try store.setLastSequence(batch.deviceSequence, of: batch.device)
        try store.setState(state)
    }

    /// From here on whatever was made against an older version of the package is refused.
    private mutating func noteChange(of package: ItemID) throws {
        guard var item = try find(package) else { return }
        item.version = VersionID(sequence: state.sequence, index: 0)
        try put(item)
    }

    private mutating func apply(_ change: Change) throws {
        switch change {
        case .create(let id, let parent, let name, let attributes, let body):
            try create(id, parent: parent, name: name, attributes: attributes.limited, body: body)
        case .edit(let id, let base, .stored(let content), let modified):
            let edit = Edit(
                base: base, content: content, modified: modified, version: version, author: author,
                authorName: authorName)
            try self.edit(id, edit)
        case .edit(let id, _, .announced(let size), let modified):
            try announce(id, size: size, modified: modified)
        case .move(let id, let parent, let name): try move(id, to: parent, name: name)
        case .setAttributes(let id, let changes): try setAttributes(id, changes)
        case .delete(let id, let base): try delete(id, base: base)
        case .resolve(let id, let versions): try resolve(id, versions: versions)
        case .setValue(let key, let value, let time): try setValue(key, to: value, at: time)
        case .raiseRules: break
        }
    }

    private mutating func setAttributes(_ id: ItemID, _ changes: AttributeChanges) throws {
        guard var item = try find(id), !item.isDeleted else { return }
        item.attributes.apply(changes)
        try put(item)
    }

    // MARK: The store, with notes taken

    func find(_ id: ItemID) throws -> CloudItem? { try store.standing(for: id) }

    /// Writes the item if it differs from what is there.
    mutating func put(_ item: CloudItem) throws {
        guard try store.item(item.id) != item else { return }
        try store.put(item)
        touch(item.id)
    }

    mutating func touch(_ id: ItemID) {
        if seen.insert(id).inserted { result.touched.append(id) }
    }

    mutating func touch(key: String) { result.touchedKeys.insert(key) }

    mutating func note(refused key: String) { result.refusedKeys.insert(key) }

    mutating func noteMerge(of id: ItemID, into target: ItemID) {
        result.merged.append(FoldResult.Merge(from: id, into: target))
    }
}
