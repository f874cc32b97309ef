package import LocalMetadata

/// Names and items affected by a remote change, as of its commit.
package struct RemoteChanges: Sendable {
    package struct Removed: Sendable {
        package let node: NodeID
        package let kind: LocalKind
        package let place: Announcement.Place

        package init(node: NodeID, kind: LocalKind, place: Announcement.Place) {
            self.node = node
            self.kind = kind
            self.place = place
        }
    }

    package var removed: [Removed] = []
    /// Moved items, with their former places.
    package var moved: [NodeID: Announcement.Place] = [:]
    /// Newly visible items, each after its folder.
    package var created: [NodeID] = []
    /// Items with changed attributes or bytes.
    package var nodes: [NodeID] = []

    package init() {}

    /// The maximum number of announcements resulting from it.
    var count: Int { removed.count + moved.count + created.count + nodes.count }
}
