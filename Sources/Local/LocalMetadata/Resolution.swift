package import CloudModel

/// A conflict version resolved by the user, until the log confirms it.
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
