package import CloudModel

/// A conflict version that its user has dealt with, until the log says so.
package struct Resolution: Sendable, Hashable {
    package let container: ContainerID
    package let item: ItemID
    package let version: VersionID

    package init(container: ContainerID, item: ItemID, version: VersionID) {
        self.container = container
        self.item = item
        self.version = version
    }
}
