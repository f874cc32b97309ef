/// The state of a mount, as printed by `ubiquity status --json`. Fields are only ever added.
package struct MountStatus: Codable, Hashable, Sendable {
    /// The mount point, absolute.
    package var mount: String
    package var pid: Int32
    /// The state directory, absolute.
    package var state: String
    package var device: DeviceStatus
    package var cloud: CloudStatus
    package var queue: QueueStatus
    /// Running transfers, the oldest first; at most 100.
    package var transfers: [TransferStatus]
    /// Persisting errors, newest first; at most 100.
    package var errors: [DaemonFailure]
    /// Names of the containers.
    package var containers: [String]
    /// Documents with unresolved conflicts.
    package var conflicts: UInt64
    package var cache: CacheStatus
    /// The rebuild of the state at this daemon's start; nil if there was none.
    package var rebuild: RebuildStatus?
    /// The running check.
    package var check: CheckStatus?
    /// The running collection of garbage in the cloud.
    package var collection: CollectionStatus?
    /// The running command on many items.
    package var work: WorkStatus?
    /// The transfer limits; nil if there are none.
    package var limits: LimitStatus?
    /// The behavior of uploads and background downloads because the network is metered; nil while it is not.
    package var metered: OnMetered?
    /// Containers whose logs in the cloud differ from those read by this device, so that nothing of them counts as
    /// uploaded; nil if there are none.
    package var diverged: [String]?
    /// Programs that may not open non-local documents for now, because they looked into too many.
    package var refusedPrograms: [RefusedProgram]?

    package init(
        mount: String, pid: Int32, state: String, device: DeviceStatus, cloud: CloudStatus,
        queue: QueueStatus = QueueStatus(), transfers: [TransferStatus] = [], errors: [DaemonFailure] = [],
        containers: [String] = [], conflicts: UInt64 = 0, cache: CacheStatus = CacheStatus(bytes: 0, limit: nil)
    ) {
        self.mount = mount
        self.pid = pid
        self.state = state
        self.device = device
        self.cloud = cloud
        self.queue = queue
        self.transfers = transfers
        self.errors = errors
        self.containers = containers
        self.conflicts = conflicts
        self.cache = cache
    }
}

package struct DeviceStatus: Codable, Hashable, Sendable {
    package let name: String
    package let id: String
    /// When this device last got a new id because its state had been restored from a backup or copied; nil if it never did.
    package let renewed: WireTime?

    package init(name: String, id: String, renewed: WireTime? = nil) {
        self.name = name
        self.id = id
        self.renewed = renewed
    }
}

package struct CloudStatus: Codable, Hashable, Sendable {
    package enum Reachability: String, Codable, Sendable { case online, offline }

    /// Why the cloud is offline, for programs. Clients treat an unknown reason as ``unreachable``.
    package enum Reason: String, Codable, Sendable {
        case connecting
        /// The user has taken this device offline.
        case takenOffline
        /// Waiting may help.
        case unreachable
        case full
        /// The cloud refuses this account or device, or may not be written to.
        case refused
        /// Waiting does not help: this device has synced with a different cloud, or the cloud has an incompatible
        /// version.
        case stopped

        package init(from decoder: any Decoder) throws {
            self = Self(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .unreachable
        }
    }

    /// The message before the end of the first attempt to connect.
    package static let connecting = "connecting"

    package let url: String
    package let state: Reachability
    /// Why the cloud is offline.
    package let message: String?
    package let reason: Reason?
    /// The account with which this device is signed in at the server; nil if it is not, and for clouds without
    /// accounts.
    package var account: String?
    /// False after `ubiquity logout`; nil for clouds without accounts.
    package var isSignedIn: Bool?

    package init(
        url: String, state: Reachability, message: String? = nil, reason: Reason? = nil, account: String? = nil,
        isSignedIn: Bool? = nil
    ) {
        self.url = url
        self.state = state
        self.message = message
        self.reason = reason
        self.account = account
        self.isSignedIn = isSignedIn
    }
}

/// Limits in bytes a second; nil: none.
package struct LimitStatus: Codable, Hashable, Sendable {
    package let up: UInt64?
    package let down: UInt64?
    package init(up: UInt64?, down: UInt64?) {
        self.up = up
        self.down = down
    }
}

package struct RefusedProgram: Codable, Hashable, Sendable {
    package let program: String
    /// How long the refusal still lasts.
    package let seconds: UInt64
    package init(program: String, seconds: UInt64) {
        self.program = program
        self.seconds = seconds
    }
}

/// The progress of a command on many items.
package struct WorkStatus: Codable, Hashable, Sendable {
    /// The current operation: `restoring`, `evicting`.
    package let what: String
    package let completedItems: UInt64
    package let totalItems: UInt64
    package init(what: String, completedItems: UInt64, totalItems: UInt64) {
        self.what = what
        self.completedItems = completedItems
        self.totalItems = totalItems
    }
}

/// The queued and running work.
package struct QueueStatus: Codable, Hashable, Sendable {
    package let uploads: UInt64
    package let downloads: UInt64
    /// Items with changes (content, name, attributes) not yet in the cloud.
    package let pendingItems: UInt64
    /// Bytes still to upload.
    package let pendingBytes: UInt64
    package init(uploads: UInt64 = 0, downloads: UInt64 = 0, pendingItems: UInt64 = 0, pendingBytes: UInt64 = 0) {
        self.uploads = uploads
        self.downloads = downloads
        self.pendingItems = pendingItems
        self.pendingBytes = pendingBytes
    }

    package var isIdle: Bool { uploads == 0 && downloads == 0 && pendingItems == 0 }
}

package struct TransferStatus: Codable, Hashable, Sendable {
    package enum Direction: String, Codable, Sendable { case upload, download }

    package let path: MountPath
    package let direction: Direction
    package let completedBytes: UInt64
    package let totalBytes: UInt64
    package init(path: MountPath, direction: Direction, completedBytes: UInt64, totalBytes: UInt64) {
        self.path = path
        self.direction = direction
        self.completedBytes = completedBytes
        self.totalBytes = totalBytes
    }
}

/// Local bytes of documents, and their limit (nil: the free space of the disk).
package struct CacheStatus: Codable, Hashable, Sendable {
    package let bytes: UInt64
    package let limit: UInt64?
    package init(bytes: UInt64, limit: UInt64?) {
        self.bytes = bytes
        self.limit = limit
    }
}
