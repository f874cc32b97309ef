import Basics
import CloudModel

/// A fingerprint of a whole folded tree, for devices to compare at a given sequence. It is the sum of the hashes of the
/// tree's live items, so a store can update it item by item; tombstones and aliases do not affect it.
package struct TreeDigest: Hashable, Sendable, CustomStringConvertible {
    package private(set) var high: UInt64
    package private(set) var low: UInt64

    package init(high: UInt64 = 0, low: UInt64 = 0) {
        self.high = high
        self.low = low
    }

    /// Computes the digest by walking the tree from its root, with one read per live item.
    package init(of store: some TreeStore) throws {
        self.init()
        var pending = [ItemID.root]
        while let id = pending.popLast() {
            guard let item = try store.item(id) else { continue }
            add(item)
            if item.body == .folder { pending += try store.children(of: id) }
        }
    }

    package mutating func add(_ item: CloudItem) {
        guard !item.isDeleted else { return }
        let hash = item.stableHash
        high &+= hash.high
        low &+= hash.low
    }

    /// Undoes ``add(_:)`` of an equal item.
    package mutating func remove(_ item: CloudItem) {
        guard !item.isDeleted else { return }
        let hash = item.stableHash
        high &-= hash.high
        low &-= hash.low
    }

    package var description: String { ItemID(high: high, low: low).description }
}

extension CloudItem {
    fileprivate var stableHash: (high: UInt64, low: UInt64) {
        var hash = StableHash(purpose: 1)
        hash.combine(id)
        hash.combine(parent)
        hash.combine(name.bytes)
        hash.combine(attributes)
        hash.combine(body)
        hash.combine(version)
        hash.combine(author.value)
        hash.combine(authorName.utf8)
        hash.combine(UInt64(conflicts.count))
        for conflict in conflicts { hash.combine(conflict) }
        return hash.value
    }
}

extension StableHash {
    mutating func combine(_ id: ItemID) {
        combine(id.high)
        combine(id.low)
    }

    mutating func combine(_ version: VersionID) {
        combine(version.sequence.value)
        combine(UInt64(version.index))
    }

    mutating func combine(_ time: Timestamp) { combine(UInt64(bitPattern: time.nanoseconds)) }

    mutating func combine(_ digest: Digest) {
        combine(digest.words.0)
        combine(digest.words.1)
        combine(digest.words.2)
        combine(digest.words.3)
    }

    fileprivate mutating func combine(_ attributes: ItemAttributes) {
        combine(UInt64(attributes.permissions))
        combine(attributes.modified)
        combine(attributes.created)
        combine(UInt64(attributes.extended.count))
        for (name, value) in attributes.extended.sorted(by: { $0.key < $1.key }) {
            combine(name.utf8)
            combine(value)
        }
    }

    fileprivate mutating func combine(_ body: ItemBody) {
        combine(UInt64(body.kind.rawValue))
        switch body {
        case .folder: break
        case .symlink(let target): combine(target)
        case .file(let content): combine(content)
        }
    }

    fileprivate mutating func combine(_ content: FileContent) {
        combine(content.size)
        combine(content.reference.map { UInt64($0.layout.rawValue) } ?? .max)
        if let digest = content.reference?.digest { combine(digest) }
    }

    fileprivate mutating func combine(_ conflict: ConflictVersion) {
        combine(conflict.version)
        combine(conflict.content)
        combine(conflict.modified)
        combine(conflict.author.value)
        combine(conflict.authorName.utf8)
        combine(conflict.base == nil ? 0 : 1)
        if let base = conflict.base { combine(base) }
    }
}
