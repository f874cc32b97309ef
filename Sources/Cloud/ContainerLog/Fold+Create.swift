import CloudModel

/// The rules for new items: content always gets a place, regardless of errors.
extension Fold {
    mutating func create(
        _ id: ItemID, parent: ItemID, name: ItemName, attributes: ItemAttributes, body: ItemBody
    ) throws {
        guard !id.isWellKnown else { return }
        var item = CloudItem(
            id: id, parent: parent, name: name, attributes: attributes, body: body, version: version, author: author,
            authorName: authorName)
        if let known = try find(id) {
            guard known.body.kind == body.kind else { return }
            item.id = known.id
            try recreate(item, over: known)
        } else {
            item.parent = try liveFolder(parent)
            try place(item, unitesFiles: true)
        }
    }

    /// Creates an item whose id is in use: a tombstone is restored at the new place; content for a live file competes
    /// like an edit without a base.
    private mutating func recreate(_ item: CloudItem, over known: CloudItem) throws {
        if known.isDeleted {
            var revived = item
            let isLoop = try isWithin(item.parent, item.id)
            revived.parent = try liveFolder(isLoop ? known.parent : item.parent)
            try place(revived, unitesFiles: true)
        } else if let content = item.body.content?.reference {
            try edit(item.id, edit(from: nil, content, item.attributes.modified))
        }
    }
}
