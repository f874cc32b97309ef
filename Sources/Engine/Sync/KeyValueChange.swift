package import LocalMetadata

/// Keys of a container's key-value store with changes other than writes on this device.
package struct KeyValueChange: Sendable, Equatable {
    package enum Reason: Sendable {
        case serverChange
        /// The store is seen for the first time.
        case initialSync
        /// The cloud's store had no room for values written on this device.
        case quotaViolation
    }

    package let container: ContainerID
    package let reason: Reason
    package let keys: Set<String>
}
