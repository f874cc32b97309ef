package import Foundation

/// `POST /v1/containers/NAME/links`: publishes an immutable content for everyone with the address.
package struct PublishRequest: Hashable, Codable, Sendable {
    /// The maximum lifetime of a link in seconds.
    package static let longest: Int64 = 366 * 86_400

    /// 64 hexadecimal digits.
    package let digest: String
    package let size: UInt64
    /// The layout of the content: 0 empty, 1 a chunk, 2 a manifest.
    package let layout: UInt8
    /// The document's name if it is UTF-8.
    package let name: String?
    /// The document's name in base 64 if it is not UTF-8.
    package let nameBytes: Data?
    /// The lifetime of the link in seconds.
    package let seconds: Int64
    package let password: String?

    package init(
        digest: String, size: UInt64, layout: UInt8, name: String?, nameBytes: Data?, seconds: Int64, password: String?
    ) {
        self.digest = digest
        self.size = size
        self.layout = layout
        self.name = name
        self.nameBytes = nameBytes
        self.seconds = seconds
        self.password = password
    }
}

/// The response with the link's path below the server's address, returned only once.
package struct PublishResponse: Hashable, Codable, Sendable {
    package let id: Int64
    package let path: String
    /// Seconds since 1970 UTC.
    package let expires: Int64

    package init(id: Int64, path: String, expires: Int64) {
        self.id = id
        self.path = path
        self.expires = expires
    }
}

/// A page of `GET /v1/links?after=N`.
package struct PublishedLinks: Hashable, Codable, Sendable {
    package let links: [PublishedLink]
    /// The number after which the next page begins; nil on the last page.
    package let next: Int64?

    package init(links: [PublishedLink], next: Int64? = nil) {
        self.links = links
        self.next = next
    }
}

/// A link as seen by its account. The address is missing because the server does not know it.
package struct PublishedLink: Hashable, Codable, Sendable {
    package let id: Int64
    package let container: String
    package let name: String
    package let size: UInt64
    /// Seconds since 1970 UTC.
    package let created: Int64
    package let expires: Int64
    package let hasPassword: Bool

    package init(
        id: Int64, container: String, name: String, size: UInt64, created: Int64, expires: Int64, hasPassword: Bool
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
