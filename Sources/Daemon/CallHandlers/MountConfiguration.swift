package import DaemonProtocol
package import LocalMetadata

/// The configuration of a mount, as far as responses depend on it.
package struct MountConfiguration: Sendable {
    /// The absolute path of the mount point.
    let mountPoint: String
    /// The absolute path of the state directory.
    let stateDirectory: String
    let cloud: CloudAddress
    /// This device's name, as shown on other devices.
    let deviceName: String
    /// Determines the listed superseded versions of a document.
    let versions: VersionLimits

    package init(
        mountPoint: String, stateDirectory: String, cloud: CloudAddress, deviceName: String,
        versions: VersionLimits
    ) {
        self.mountPoint = mountPoint
        self.stateDirectory = stateDirectory
        self.cloud = cloud
        self.deviceName = deviceName
        self.versions = versions
    }
}
