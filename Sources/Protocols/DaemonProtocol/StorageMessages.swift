package import CloudModel

/// Requests the containers' used space, on this device and in the cloud.
package struct StorageRequest: DaemonCall {
    package typealias Response = StorageResponse
    package static let verb = "storage"

    /// Whether to list a cloud that does not track the use of its space; this takes a while.
    package var list: Bool

    package init(list: Bool = false) { self.list = list }
}

package struct StorageResponse: CallResponse {
    package static let kind = "storage"

    package let containers: [ContainerStorage]
    /// The use of the cloud's space, each byte counted once; nil if the cloud was not asked, or cannot be reached.
    package let cloud: CloudUseReport?
    /// Why the cloud could not report the use of its space.
    package let failure: DaemonFailure?
    /// Whether devices collect unreferenced chunks, as a server does automatically.
    package let isCollectedByDevices: Bool

    package init(
        containers: [ContainerStorage], cloud: CloudUseReport? = nil, failure: DaemonFailure? = nil,
        isCollectedByDevices: Bool = false
    ) {
        self.containers = containers
        self.cloud = cloud
        self.failure = failure
        self.isCollectedByDevices = isCollectedByDevices
    }
}

/// The space used by a container. Sizes are those of the documents; the cloud deduplicates and compresses chunks.
package struct ContainerStorage: Codable, Hashable, Sendable {
    package let name: String
    /// The container's folder in the mount's root.
    package let folder: String
    /// The folders directly in the container: `Documents`, and those with programs' own data.
    package let areas: [StorageArea]
    /// The size in the cloud of conflict versions, and of listed earlier versions.
    package let versionBytes: UInt64

    package init(name: String, folder: String, areas: [StorageArea], versionBytes: UInt64) {
        self.name = name
        self.folder = folder
        self.areas = areas
        self.versionBytes = versionBytes
    }
}

package struct StorageArea: Codable, Hashable, Sendable {
    package let name: String
    /// Whether the area is the container's `Documents` folder, with users' documents.
    package let isDocuments: Bool
    package let files: UInt64
    /// Bytes on this device.
    package let localBytes: UInt64
    /// Bytes in the cloud.
    package let cloudBytes: UInt64

    package init(name: String, isDocuments: Bool, files: UInt64, localBytes: UInt64, cloudBytes: UInt64) {
        self.name = name
        self.isDocuments = isDocuments
        self.files = files
        self.localBytes = localBytes
        self.cloudBytes = cloudBytes
    }
}
