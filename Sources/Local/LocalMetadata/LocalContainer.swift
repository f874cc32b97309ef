package import CloudModel

/// A row of the table `container`.
package struct LocalContainer: Sendable, Equatable {
    package let id: ContainerID
    package let name: ContainerName
    package let node: NodeID
    package let sequence: LogSequence
    /// Whether the cloud is known to have the container.
    package let isInCloud: Bool

    /// Returns the key of the setting that records that the container's log was read to its end once.
    package static func seenKey(_ id: ContainerID) -> String { "seen \(id.value)" }
}
