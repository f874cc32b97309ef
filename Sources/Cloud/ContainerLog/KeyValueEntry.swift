package import Basics
import CloudModel

/// An entry of a container's key-value store, as of the folded log.
package struct KeyValueEntry: Hashable, Sendable {
    /// Nil: removed. The entry is kept for its time, so that an older write does not restore the key.
    package var value: [UInt8]?
    /// When the entry was written, clamped to the log's time.
    package var time: Timestamp

    package init(value: [UInt8]?, time: Timestamp) {
        self.value = value
        self.time = time
    }
}

/// The limits of a key-value store, meant for its program's settings, not its documents.
package enum KeyValueLimits {
    package static let keys = 1_024
    /// The most bytes of all values together.
    package static let bytes = 1 << 20
    /// The most bytes of a value.
    package static let valueBytes = 1 << 20
    /// The most bytes of a key, in UTF-8.
    package static let keyBytes = 64
    /// The most remembered removed keys; beyond that, the earliest removed key is forgotten.
    package static let removedKeys = 1_024

    /// Whether the text is a valid key.
    package static func allows(key: String) -> Bool { (1...keyBytes).contains(key.utf8.count) && !key.utf8.contains(0) }
}

/// The size of a store.
package struct KeyValueTotals: Hashable, Sendable {
    package var keys: Int
    package var bytes: Int
    package var removedKeys: Int

    package init(keys: Int = 0, bytes: Int = 0, removedKeys: Int = 0) {
        self.keys = keys
        self.bytes = bytes
        self.removedKeys = removedKeys
    }

    /// Whether the store stays within the limits if this entry replaces the old one.
    package func allows(_ entry: KeyValueEntry, replacing old: KeyValueEntry?) -> Bool {
        guard let value = entry.value else { return true }
        return keys + (old?.value == nil ? 1 : 0) <= KeyValueLimits.keys
            && bytes - (old?.value?.count ?? 0) + value.count <= KeyValueLimits.bytes
    }
}
