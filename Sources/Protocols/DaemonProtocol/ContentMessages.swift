/// Downloads the bytes of items; for a folder, of all items below it.
package struct DownloadRequest: DaemonCall {
    package typealias Response = ItemsResponse
    package static let verb = "download"
    package var admission: CallAdmission { wait ? .wait : .request }

    package let paths: [MountPath]
    /// Whether to respond only when the bytes are local, not already when their transfer is queued.
    package let wait: Bool

    package init(paths: [MountPath], wait: Bool) {
        self.paths = paths
        self.wait = wait
    }
}

/// Evicts the local bytes of items; for a folder, of all items below it. Refused for items that are not uploaded, open
/// or pinned.
package struct EvictRequest: DaemonCall {
    package typealias Response = ItemsResponse
    package static let verb = "evict"

    package let paths: [MountPath]
    package init(paths: [MountPath]) { self.paths = paths }
}

package struct PinRequest: DaemonCall {
    package typealias Response = ItemsResponse
    package static let verb = "pin"

    package let paths: [MountPath]
    package let pin: PinPolicy

    package init(paths: [MountPath], pin: PinPolicy) {
        self.paths = paths
        self.pin = pin
    }
}

/// The policy for keeping an item's bytes on this device; children inherit it.
package enum PinPolicy: String, Codable, Hashable, Sendable, CaseIterable {
    /// The policy of the folder above; at the top, ``lazy``.
    case inherited
    /// Downloaded when first opened, updated once local, evicted when space is short.
    case lazy
    /// Like ``lazy``, but a newer version in the cloud drops the local bytes instead of replacing them.
    case evictOnUpdate
    /// Downloaded immediately and never evicted.
    case keep
    /// Downloaded while there is plenty of space, evicted when it is short.
    case whenSpace
    /// Stays on this device.
    case excluded
}

/// The outcome for each path, in the order of the request.
package struct ItemsResponse: CallResponse {
    package static let kind = "items"

    package let outcomes: [ItemOutcome]
    package init(outcomes: [ItemOutcome]) { self.outcomes = outcomes }
}

package struct ItemOutcome: Codable, Hashable, Sendable {
    package let path: MountPath
    /// The number of affected items; several below a folder.
    package let items: UInt64
    package let bytes: UInt64
    package let failure: DaemonFailure?
    /// A folder's files kept by an eviction, at most ``maximumKept``; nil if there are none.
    package let kept: [KeptItem]?
    /// How many files an eviction kept; nil for none.
    package let keptCount: UInt64?
    /// How many requested downloads an eviction ended; nil for none.
    package let stopped: UInt64?

    package static let maximumKept = 3

    package init(
        path: MountPath, items: UInt64 = 0, bytes: UInt64 = 0, failure: DaemonFailure? = nil, kept: [KeptItem] = [],
        keptCount: UInt64 = 0, stopped: UInt64 = 0
    ) {
        self.path = path
        self.items = items
        self.bytes = bytes
        self.failure = failure
        self.kept = kept.isEmpty ? nil : Array(kept.prefix(Self.maximumKept))
        self.keptCount = keptCount > 0 ? keptCount : nil
        self.stopped = stopped > 0 ? stopped : nil
    }
}

/// A kept file and the reason: an adjective such as `pinned`.
package struct KeptItem: Codable, Hashable, Sendable {
    package let name: String
    package let reason: String
    package init(name: String, reason: String) {
        self.name = name
        self.reason = reason
    }
}
