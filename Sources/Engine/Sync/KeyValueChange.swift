package import LocalMetadata

/// Keys of a container's key-value store that changed other than by their user's hand here.
package struct KeyValueChange: Sendable, Equatable {
    package enum Reason: Sendable {
        case serverChange
        /// The store was never seen before.
        case initialSync
        /// The store of the cloud had no room for what was written here.
        case quotaViolation
    }

    package let container: ContainerID
    package let reason: Reason
    package let keys: Set<String>
}
