package import CloudModel

/// A conflict version that the user has resolved, until the log confirms it.
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
