package import CloudModel

/// The paths of the protocol, below the server's address.
package enum CloudRoutes {
    package static let health = "/health"
    package static let signIn = "/v1/sign-in"
    package static let signOut = "/v1/sign-out"
    package static let cloud = "/v1/cloud"
    package static let space = "/v1/space"
    package static let news = "/v1/news"
    package static let containers = "/v1/containers"

    package static func container(_ name: ContainerName) -> String { "\(containers)/\(name)" }
    package static func log(_ name: ContainerName) -> String { "\(container(name))/log" }
    package static func chunks(_ name: ContainerName) -> String { "\(container(name))/chunks" }
    package static func chunk(_ id: ChunkID, in name: ContainerName) -> String { "\(chunks(name))/\(id)" }
    package static func missing(_ name: ContainerName) -> String { "\(container(name))/missing" }
    package static func distrust(_ name: ContainerName) -> String { "\(container(name))/distrust" }
}
