import CloudModel
import LocalContent
import LocalMetadata

/// What a device does wrong when it is told to.
extension SimulatedDevice {
    private func edits(_ metadata: MetadataDatabase) throws -> [LocalItem] {
        guard let root = try metadata.read({ try $0.container(named: .cloudDocs) })?.node else { return [] }
        var found: [LocalItem] = []
        try metadata.read { transaction in
            guard let item = try transaction.item(root) else { return }
            try transaction.forEach(below: item) { if $0.kind == .file, $0.isEdited { found.append($0) } }
        }
        return found
    }

    func sweepEdits(_ metadata: MetadataDatabase, _ content: ContentStore) throws {
        for item in try edits(metadata) { try content.remove(item.blob) }
    }

    func overwriteEdits() throws {
        for item in try edits(metadata) {
            guard let newest = try metadata.read({ try $0.cloudItem(item)?.content }), newest != item.content else {
                continue
            }
            try write(newest, to: item.blob, modified: item.attributes.modified)
        }
    }

    func dropEdit(of item: LocalItem) throws {
        var row = item
        (row.presence, row.isEdited) = (.none, false)
        try content.remove(item.blob)
        try metadata.write { try $0.update(row) }
    }
}
