package import Basics
package import CloudModel

/// An item as the folded log has it: what every device and the server agree on.
package struct CloudItem: Hashable, Sendable {
    package var id: ItemID
    package var parent: ItemID
    package var name: ItemName
    package var attributes: ItemAttributes
    package var body: ItemBody
    /// The origin of the present content: its position in the log, its device and the device's name.
    package var version: VersionID
    package var author: DeviceID
    package var authorName: String
    /// Contents that lost against the current one and are not resolved yet, oldest version first. They are always stored, with distinct
    /// digests, none of which is the present content's. A tombstone has none.
    package var conflicts: [ConflictVersion]
    /// A tombstone keeps its place, so that an edit that did not know of the deletion can bring the item back.
    package var isDeleted: Bool

    package init(
        id: ItemID, parent: ItemID, name: ItemName, attributes: ItemAttributes, body: ItemBody, version: VersionID,
        author: DeviceID, authorName: String, conflicts: [ConflictVersion] = [], isDeleted: Bool = false
    ) {
        self.id = id
        self.parent = parent
        self.name = name
        self.attributes = attributes
        self.body = body
        self.version = version
        self.author = author
        self.authorName = authorName
        self.conflicts = conflicts
        self.isDeleted = isDeleted
    }
}

/// A content that lost against the current one.
package struct ConflictVersion: Hashable, Sendable {
    package var version: VersionID
    package var content: FileContent
    package var modified: Timestamp
    package var author: DeviceID
    package var authorName: String
    /// Digest of the content that the later of the two edits started from, the merge base of both; nil when unknown.
    package var base: Digest?

    package init(
        version: VersionID, content: FileContent, modified: Timestamp, author: DeviceID, authorName: String,
        base: Digest?
    ) {
        self.version = version
        self.content = content
        self.modified = modified
        self.author = author
        self.authorName = authorName
        self.base = base
    }
}

/// The state that the fold of a log needs beside its items.
package struct LogState: Hashable, Sendable {
    /// The last entry folded.
    package var position: LogPosition
    /// The rules that the next entry is folded with.
    package var rules: UInt16
    /// The log's clock, which never runs backwards and bounds every time in a change.
    package var time: Timestamp
    /// Whether names are compared by case folding and NFC.
    package var foldsNames: Bool

    package init(
        position: LogPosition = .start, rules: UInt16 = 1, time: Timestamp = .zero, foldsNames: Bool = false
    ) {
        self.position = position
        self.rules = rules
        self.time = time
        self.foldsNames = foldsNames
    }
}

extension LogState {
    package var sequence: LogSequence { position.sequence }
}

/// The store of a folded container: a dictionary in tests and simulations, SQLite on a device. The reducer uses nothing else, so that a
/// tree of a million items need not be in memory. Stores do not decide anything.
///
/// A fold that throws may leave half of an entry in the store: fold inside a transaction, which is then rolled back.
package protocol TreeStore {
    func state() throws -> LogState
    mutating func setState(_ state: LogState) throws

    /// Returns the device's newest batch number in the log; 0 before its first.
    func lastSequence(of device: DeviceID) throws -> UInt64
    mutating func setLastSequence(_ number: UInt64, of device: DeviceID) throws

    /// Returns an item, tombstones included. Does not follow aliases.
    func item(_ id: ItemID) throws -> CloudItem?
    /// Inserts or replaces an item with its conflicts.
    mutating func put(_ item: CloudItem) throws

    /// Returns the live item with that name key (``NameKey``) in that folder.
    func child(of parent: ItemID, key: NameKey) throws -> ItemID?
    /// Returns the live children, in the order of their ids.
    func children(of parent: ItemID) throws -> [ItemID]
    func hasChildren(_ parent: ItemID) throws -> Bool

    /// Returns the id that this id stands for since two items became one; nil if it stands for itself. The reducer also stores ids here
    /// that never belonged to an item (``DerivedIDs``).
    func alias(of id: ItemID) throws -> ItemID?
    /// Sets or replaces an alias. The target may become an alias itself later.
    mutating func setAlias(_ id: ItemID, to target: ItemID) throws

    /// Returns a key of the key-value store, which may be a removed one; nil if it never existed or is forgotten.
    func keyValue(_ key: String) throws -> KeyValueEntry?
    mutating func setKeyValue(_ entry: KeyValueEntry, for key: String) throws
    func keyValueTotals() throws -> KeyValueTotals
    /// Drops the removed key with the earliest time; of several, the first in the order of its UTF-8.
    mutating func forgetOldestRemovedKey() throws

    /// Returns the collection of garbage of that epoch; nil if it was not proposed.
    func collection(_ epoch: UInt64) throws -> ProposedCollection?
    /// Inserts or replaces the collection of an epoch.
    mutating func setCollection(_ collection: ProposedCollection) throws
    func collectionEpochs() throws -> CollectionEpochs
}

/// The form in which names are compared within a folder: the bytes, or in containers that fold names the case-folded text in NFC.
package struct NameKey: Hashable, Sendable {
    package let bytes: [UInt8]
    package init(bytes: [UInt8]) { self.bytes = bytes }
}
