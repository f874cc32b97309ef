package import LocalMetadata

/// The names and items that a change from elsewhere affected, as they are known when it is committed.
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
    /// Items that have another place, with their former ones.
    package var moved: [NodeID: Announcement.Place] = [:]
    /// Items that are shown for the first time, each after its folder.
    package var created: [NodeID] = []
    /// Items whose attributes or bytes changed.
    package var nodes: [NodeID] = []

    package init() {}

    /// How many announcements it may become.
    var count: Int { removed.count + moved.count + created.count + nodes.count }
}
