import Basics
import CFuse3

/// A node as the reply to a lookup, and how long the kernel may cache it.
package struct FuseEntry: Sendable {
    /// 0 means "there is no such name"; the kernel remembers this for `nameTimeout`.
    package var node: FuseNode
    /// Distinguishes two successive items with the same node number.
    package var generation: UInt64
    package var attributes: FuseAttributes
    /// How long the kernel may resolve the name to this node without a new request.
    package var nameTimeout: Duration
    /// How long the kernel may show the attributes without a new request.
    package var attributesTimeout: Duration

    package init(_ attributes: FuseAttributes, generation: UInt64 = 0, timeout: Duration) {
        node = attributes.node
        self.generation = generation
        self.attributes = attributes
        nameTimeout = timeout
        attributesTimeout = timeout
    }

    /// Returns the entry of a missing name, remembered for `timeout`: lookups within that time cost no request.
    package static func absent(timeout: Duration) -> FuseEntry {
        var entry = FuseEntry(
            FuseAttributes(node: 0, mode: 0, user: 0, group: 0, size: 0, modificationTime: .zero), timeout: timeout)
        entry.attributesTimeout = .zero
        return entry
    }

    var parameters: fuse_entry_param {
        fuse_entry_param(
            ino: node, generation: generation, attr: attributes.status, attr_timeout: attributesTimeout.inSeconds,
            entry_timeout: nameTimeout.inSeconds)
    }
}

extension Duration {
    var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }
}
