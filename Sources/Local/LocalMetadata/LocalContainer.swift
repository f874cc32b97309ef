package import CloudModel

/// A row of the table `container`.
package struct LocalContainer: Sendable, Equatable {
    package let id: ContainerID
    package let name: ContainerName
    package let node: NodeID
    /// The last entry of the log that was folded.
    package let position: LogPosition
    /// Whether the cloud is known to have the container.
    package let isInCloud: Bool
    /// Why the cloud's log is not the one that this device has read; nil while it is.
    package let divergence: String?

    package var sequence: LogSequence { position.sequence }

    /// Returns the key of the setting that records that the container's log was read to its end once.
    package static func seenKey(_ id: ContainerID) -> String { "seen \(id.value)" }

    /// Returns the key of the setting that records that the device continues in another cloud, which may lack chunks that the device put
    /// into the cloud before but has not sent an entry about.
    package static func unverifiedKey(_ id: ContainerID) -> String { "unverified \(id.value)" }

    /// Returns the key of the setting with the rows of the newest batch whose items became others since.
    static func successorsKey(_ id: ContainerID) -> String { "successors \(id.value)" }
}
