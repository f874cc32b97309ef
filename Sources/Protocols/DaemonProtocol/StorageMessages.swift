package import CloudModel

/// Requests the space that containers use, on this device and in the cloud.
package struct StorageRequest: DaemonCall {
    package typealias Response = StorageResponse
    package static let verb = "storage"

    /// Whether to list a cloud that does not know itself what uses its space, which takes a while.
    package var list: Bool

    package init(list: Bool = false) { self.list = list }
}

package struct StorageResponse: CallResponse {
    package static let kind = "storage"

    package let containers: [ContainerStorage]
    /// The use of the cloud's space, each byte counted once; nil where the cloud was not asked, or cannot be reached.
    package let cloud: CloudUseReport?
    /// Why the cloud could not say what uses its space.
    package let failure: DaemonFailure?
    /// Whether devices collect what nothing names, which a server does by itself.
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

/// The space that one container uses. Sizes are those of the documents; the cloud deduplicates and compresses chunks.
package struct ContainerStorage: Codable, Hashable, Sendable {
    package let name: String
    /// The folder in the mount's root that shows the container.
    package let folder: String
    /// The folders directly in the container: `Documents`, and those in which programs keep data of their own.
    package let areas: [StorageArea]
    /// The size in the cloud of conflict versions, and of earlier versions that are still listed.
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
    /// Whether the area is the container's `Documents` folder, which shows the documents of people.
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
