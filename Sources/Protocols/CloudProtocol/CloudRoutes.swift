package import CloudModel

/// The paths of the protocol, below the server's address.
package enum CloudRoutes {
    package static let health = "/health"
    package static let signIn = "/v1/sign-in"
    package static let signOut = "/v1/sign-out"
    package static let cloud = "/v1/cloud"
    package static let space = "/v1/space"
    package static let storage = "/v1/storage"
    package static let changeFeed = "/v1/news"
    package static let containers = "/v1/containers"

    /// Posted by a device beginning the reset requested by ``resetHeader`` in a response.
    package static let reset = "/v1/reset"
    package static let resetHeader = "Ubiquity-Reset"
    package static let links = "/v1/links"

    package static func link(_ id: Int64) -> String { "\(links)/\(id)" }
    package static func links(in name: ContainerName) -> String { "\(container(name))/links" }
    /// Returns the path of a published document, readable by everyone with the token.
    package static func published(_ token: LinkToken) -> String { "/p/\(token.text)" }

    package static func container(_ name: ContainerName) -> String { "\(containers)/\(name)" }
    package static func log(_ name: ContainerName) -> String { "\(container(name))/log" }
    package static func chunks(_ name: ContainerName) -> String { "\(container(name))/chunks" }
    package static func chunk(_ id: ChunkID, in name: ContainerName) -> String { "\(chunks(name))/\(id)" }
    package static func missing(_ name: ContainerName) -> String { "\(container(name))/missing" }
    package static func distrust(_ name: ContainerName) -> String { "\(container(name))/distrust" }
}
