package import Basics
package import CloudModel

/// Content published through a link: its holder needs no account.
package struct Publication: Hashable, Sendable {
    package let content: ContentReference
    package let name: ItemName
    package let container: ContainerName
    package let seconds: Int64
    package let password: String?

    package init(
        content: ContentReference, name: ItemName, container: ContainerName, seconds: Int64, password: String?
    ) {
        self.content = content
        self.name = name
        self.container = container
        self.seconds = seconds
        self.password = password
    }
}

/// A new link. Its address is returned only once.
package struct NewLink: Hashable, Sendable {
    package let id: Int64
    package let url: String
    package let expires: Timestamp

    package init(id: Int64, url: String, expires: Timestamp) {
        self.id = id
        self.url = url
        self.expires = expires
    }
}

/// An existing link as seen by its owner.
package struct KnownLink: Hashable, Sendable {
    package let id: Int64
    package let container: String
    package let name: String
    package let size: UInt64
    package let created: Timestamp
    package let expires: Timestamp
    package let hasPassword: Bool

    package init(
        id: Int64, container: String, name: String, size: UInt64, created: Timestamp, expires: Timestamp,
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

/// A cloud that serves documents to link holders.
package protocol LinkPublishing: CloudBackend {
    /// - Throws: `notFound` if the content is not in the cloud.
    func publish(_ publication: Publication) async throws -> NewLink
    func links() async throws -> [KnownLink]
    /// - Throws: `notFound` if the link does not exist.
    func withdrawLink(_ id: Int64) async throws
}
