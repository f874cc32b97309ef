package import Basics
package import CloudModel

/// An item with a local deletion not confirmed by the cloud. While it is unsent, a new item of that name in that place
/// takes over its identity, because some programs save by deleting first.
package struct Departure: Sendable, Equatable {
    package let container: ContainerID
    package let item: ItemID
    package let parent: NodeID
    package let name: ItemName
    package let kind: LocalKind
    package let time: Timestamp
    package let isSent: Bool

    package init(
        container: ContainerID, item: ItemID, parent: NodeID, name: ItemName, kind: LocalKind, time: Timestamp,
        isSent: Bool = false
    ) {
        self.container = container
        self.item = item
        self.parent = parent
        self.name = name
        self.kind = kind
        self.time = time
        self.isSent = isSent
    }
}
