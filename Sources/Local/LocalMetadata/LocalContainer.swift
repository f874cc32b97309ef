package import CloudModel

/// One row of `container`.
package struct LocalContainer: Sendable, Equatable {
    package let id: ContainerID
    package let name: ContainerName
    package let node: NodeID
    package let sequence: LogSequence
    /// Whether the cloud is known to have it.
    package let isInCloud: Bool

    /// The setting that says that its log was read to its end once.
    package static func seenKey(_ id: ContainerID) -> String { "seen \(id.value)" }
}
