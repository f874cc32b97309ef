package import Basics

/// A published link as seen by its account. Its address is returned once, on creation.
package struct LinkRecord: Hashable, Sendable {
    package let id: Int64
    package let container: ContainerName
    package let name: ItemName
    package let size: UInt64
    package let created: Timestamp
    package let expires: Timestamp
    package let hasPassword: Bool

    package init(
        id: Int64, container: ContainerName, name: ItemName, size: UInt64, created: Timestamp, expires: Timestamp,
        hasPassword: Bool
    ) {
        self.id = id
        self.container = container
        self.name = name
        self.size = size
        self.created = created
        self.expires = expires
        self.hasPassword = hasPassword
    }
}
