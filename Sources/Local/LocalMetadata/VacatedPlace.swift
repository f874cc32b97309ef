package import Basics
package import CloudModel

/// The name of a document that left it, by a deletion or a rename, with what a person had set on the document: the file that takes the name
/// next takes it over, because programs save so.
package struct VacatedPlace: Sendable, Equatable {
    package var parent: NodeID
    package let name: ItemName
    package let kind: LocalKind
    /// The row that had the name. It may exist under another one.
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

    /// How long a name is that of the document which left it: programs save within seconds.
    package static let saveTime = Duration.seconds(60)
    /// As ``saveTime``, for a document that is not to be sent. It would be worse to send the next one.
    package static let heldBackTime = Duration.seconds(24 * 3600)
}
