package import Basics
package import CloudModel

/// A name left by a document, by a deletion or a rename, with the user's settings on the document: the next file of
/// that name takes them over, because programs save so.
package struct VacatedPlace: Sendable, Equatable {
    package var parent: NodeID
    package let name: ItemName
    package let kind: LocalKind
    /// The row that had the name. It may exist under a new name.
    package let node: NodeID
    package let settings: DocumentSettings
    package let time: Timestamp

    package init(
        parent: NodeID, name: ItemName, kind: LocalKind, node: NodeID, settings: DocumentSettings, time: Timestamp
    ) {
        self.parent = parent
        self.name = name
        self.kind = kind
        self.node = node
        self.settings = settings
        self.time = time
    }

    package init(leftBy item: LocalItem, at time: Timestamp) {
        self.init(
            parent: item.parent, name: item.name, kind: item.kind, node: item.node,
            settings: DocumentSettings(of: item), time: time)
    }

    /// How long a name remains its former document's: programs save within seconds.
    package static let saveTime = Duration.seconds(60)
    /// As ``saveTime``, for a document withheld from sync. It would be worse to send the next one.
    package static let heldBackTime = Duration.seconds(24 * 3600)
}
