package import CloudModel

/// An item as the folded log has it: what every device and the server agree on.
package struct CloudItem: Hashable, Sendable {
    package var id: ItemID
    package var parent: ItemID
    package var name: ItemName
    package var attributes: ItemAttributes
    package var body: ItemBody
    /// The origin of the present content: its position in the log, its device and the device's name.
    package var version: VersionID
    package var author: DeviceID
    package var authorName: String
    /// Contents that lost against the current one and are not resolved yet, oldest version first. They are always stored, with distinct
    /// digests, none of which is the present content's. A tombstone has none.
    package var conflicts: [ConflictVersion]
    /// A tombstone keeps its place, so that an edit that did not know of the deletion can bring the item back.
    package var isDeleted: Bool

    package init(
        id: ItemID, parent: ItemID, name: ItemName, attributes: ItemAttributes, body: ItemBody, version: VersionID,
        author: DeviceID, authorName: String, conflicts: [ConflictVersion] = [], isDeleted: Bool = false
    ) {
        self.id = id
        self.parent = parent
        self.name = name
        self.attributes = attributes
        self.body = body
        self.version = version
        self.author = author
        self.authorName = authorName
        self.conflicts = conflicts
        self.isDeleted = isDeleted
    }
}
