import Basics
import CloudModel

/// The fold of an entry: the store, the entry's position in the log, and the items touched so far. Each rule is an
/// extension, and uses ``rules`` where versions of the rules differ.
struct Fold<Store: TreeStore> {
    var store: Store
    var state: LogState
    let rules: FoldRules
    let author: DeviceID
    let authorName: String
    /// The package types as of the entries before this one.
    let packageTypes: PackageTypes
    private(set) var result = FoldResult()
    /// The file edited by the previous change. The store does not have its changes yet; ``saveContested()`` writes
    /// them.
    var contested: ContestedFile?
    /// Whether the entry has tried to switch the comparison of names.
    var hasSwitchedFolding = false

    private var seen: Set<ItemID> = []
    private var index: UInt32 = 0

    init(
        store: consuming Store, state: LogState, batch: ChangeBatch, rules: FoldRules, packageTypes: PackageTypes
    ) {
        self.store = store
        self.state = state
        self.rules = rules
        author = batch.device
        authorName = batch.deviceName
        self.packageTypes = packageTypes
    }

    /// The version for content from the current change.
    var version: VersionID { VersionID(sequence: state.sequence, index: index) }

    mutating func run(_ batch: ChangeBatch) throws {
        var raised = state.rules
        for change in batch.changes {
            // At most one step per entry, or one bogus number would lock out every device permanently.
            if case .raiseRules(let next) = change, next == state.rules &+ 1 { raised = next }
            try apply(change)
            index += 1
        }
        try closeContested()
        // After their contents, which have to be deleted before the folder's deletion is decided.
        for known in batch.packages { try noteChange(of: known.package) }
        state.rules = max(state.rules, raised)
        try store.setLastSequence(batch.deviceSequence, of: batch.device)
        try store.setState(state)
    }

    /// Records that the package has changed: from here on, a batch based on an older version of it is refused.
    private mutating func noteChange(of package: ItemID) throws {
        guard var item = try find(package) else { return }
        item.version = VersionID(sequence: state.sequence, index: 0)
        try put(item)
    }

    private mutating func apply(_ change: Change) throws {
        if try applyToContested(change) { return }
        try closeContested()
        switch change {
        case .create(let id, let parent, let name, let attributes, let body):
            try create(id, parent: parent, name: name, attributes: attributes.limited, body: body)
        case .edit(let id, let base, .stored(let content), let modified):
            try self.edit(id, edit(from: base, content, modified))
        case .edit(let id, _, .announced(let size), let modified):
            try announce(id, size: size, modified: modified)
        case .move(let id, let parent, let name): try move(id, to: parent, name: name)
        case .setAttributes(let id, let changes): try setAttributes(id, changes)
        case .delete(let id, let base): try delete(id, base: base)
        case .resolve(let id, let versions): try resolve(id, versions: versions)
        case .setValue(let key, let value, let time): try setValue(key, to: value, at: time)
        case .collection(let step): try collect(step)
        case .raiseRules: break
        }
    }

    private mutating func setAttributes(_ id: ItemID, _ requested: AttributeChanges) throws {
        guard var item = try find(id), !item.isDeleted else { return }
        var changes = requested
        let switchesFolding = try item.id == .root && switchesFolding(&changes)
        item.attributes.apply(changes)
        try put(item)
        // A rejected attribute is absent, and switches nothing.
        if switchesFolding { try setFolding(item.attributes.extended[ReservedAttribute.foldsNames] != nil) }
    }

    func edit(from base: Digest?, _ content: ContentReference, _ modified: Timestamp) -> Edit {
        Edit(
            base: base, content: content, modified: modified, version: version, author: author, authorName: authorName)
    }

    // MARK: Access to the store, recording what is touched

    func find(_ id: ItemID) throws -> CloudItem? { try store.standing(for: id) }

    /// Writes the item if it differs from the stored one.
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
