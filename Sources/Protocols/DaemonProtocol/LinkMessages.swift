/// Publishes the current version of a document, once it is in the cloud, for everyone with the link.
package struct PublishRequest: DaemonCall {
    package typealias Response = PublishedResponse
    package static let verb = "publish"

    package let path: MountPath
    /// The lifetime of the link.
    package let seconds: Int64
    package let password: String?
    /// Seconds to wait for the upload; nil waits without a limit.
    package let timeout: Double?

    package init(path: MountPath, seconds: Int64, password: String? = nil, timeout: Double? = nil) {
        self.path = path
        self.seconds = seconds
        self.password = password
        self.timeout = timeout
    }
}

package struct PublishedResponse: CallResponse {
    package static let kind = "published"

    /// The link's number for `unpublish`.
    package let link: Int64
    /// The address, sent only in this response.
    package let url: String
    package let expires: WireTime

    package init(link: Int64, url: String, expires: WireTime) {
        self.link = link
        self.url = url
        self.expires = expires
    }
}

/// Lists the published documents of the mount's account.
package struct LinksRequest: DaemonCall {
    package typealias Response = LinksResponse
    package static let verb = "links"

    package init() {}
}

package struct LinksResponse: CallResponse {
    package static let kind = "links"

    package let links: [PublishedDocument]
    package init(links: [PublishedDocument]) { self.links = links }
}

package struct PublishedDocument: Codable, Hashable, Sendable {
    package let link: Int64
    package let container: String
    /// The document's name when it was published.
    package let name: String
    package let size: UInt64
    package let created: WireTime
    package let expires: WireTime
    package let hasPassword: Bool

    package init(
        link: Int64, container: String, name: String, size: UInt64, created: WireTime, expires: WireTime,
        hasPassword: Bool
    ) {
        self.link = link
        self.container = container
        self.name = name
        self.size = size
        self.created = created
        self.expires = expires
        self.hasPassword = hasPassword
    }
}

/// Ends a link immediately.
package struct UnpublishRequest: DaemonCall {
    package typealias Response = DoneResponse
    package static let verb = "unpublish"

    package let link: Int64
    package init(link: Int64) { self.link = link }
}
