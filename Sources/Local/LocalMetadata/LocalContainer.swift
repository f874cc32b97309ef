package import CloudModel

/// A row of the table `container`.
package struct LocalContainer: Sendable, Equatable {
    package let id: ContainerID
    package let name: ContainerName
    package let node: NodeID
    /// The last folded entry of the log.
    package let position: LogPosition
    /// Whether the container is known to be in the cloud.
    package let isInCloud: Bool
    /// Why the cloud's log differs from this device's read log; nil while it does not.
    package let divergence: String?

    package var sequence: LogSequence { position.sequence }

    /// Returns the key of the setting that records that the container's log was read to its end once.
    package static func seenKey(_ id: ContainerID) -> String { "seen \(id.value)" }

    /// Returns the key of the setting for a device that continues in a different cloud, which may lack chunks uploaded
    /// earlier by the device but not yet in a sent entry.
    package static func unverifiedKey(_ id: ContainerID) -> String { "unverified \(id.value)" }

    /// Returns the key of the setting for rows of the newest batch with items that have been replaced since.
    static func successorsKey(_ id: ContainerID) -> String { "successors \(id.value)" }
}
