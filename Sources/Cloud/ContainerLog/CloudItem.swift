package import CloudModel

/// An item of the folded log, as agreed by all devices and the server.
package struct CloudItem: Hashable, Sendable {
    package var id: ItemID
    package var parent: ItemID
    package var name: ItemName
    package var attributes: ItemAttributes
    package var body: ItemBody
    /// The origin of the current content: its position in the log, its device and the device's name.
    package var version: VersionID
    package var author: DeviceID
    package var authorName: String
    /// Unresolved contents that lost against the current one, oldest version first. They are always stored, with
    /// digests distinct from each other and from the current content's. A tombstone has none.
    package var conflicts: [ConflictVersion]
    /// A tombstone keeps its place, so that an edit unaware of the deletion can restore the item.
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
