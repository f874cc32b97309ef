package import Foundation

/// `POST /v1/containers/NAME/links`: publishes one content, as it is, for everyone who has the address.
package struct PublishRequest: Hashable, Codable, Sendable {
    /// A link lasts at most so many seconds.
    package static let longest: Int64 = 366 * 86_400

    /// 64 hexadecimal digits.
    package let digest: String
    package let size: UInt64
    /// Of the content: 0 empty, 1 a chunk, 2 a manifest.
    package let layout: UInt8
    /// The document's name, where it is UTF-8.
    package let name: String?
    /// The name in base 64, where it is not.
    package let nameBytes: Data?
    /// How long the link lasts.
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

/// The path is below the server's address. It is returned once.
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

/// `GET /v1/links`.
package struct PublishedLinks: Hashable, Codable, Sendable {
    package let links: [PublishedLink]
    package init(links: [PublishedLink]) { self.links = links }
}

/// A link as its account sees it: without its address, which the server does not know.
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
