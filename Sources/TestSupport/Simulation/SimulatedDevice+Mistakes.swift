import CloudModel
import ContainerLog
import DeviceSupport
import LocalContent
import LocalMetadata

/// Device mistakes selected by the cloud's `bug`.
extension SimulatedDevice {
    private func edits(_ metadata: MetadataDatabase) throws -> [LocalItem] {
        guard let root = try metadata.read({ try $0.container(named: .cloudDocs) })?.node else { return [] }
        var found: [LocalItem] = []
        try metadata.read { transaction in
            guard let item = try transaction.local.item(root) else { return }
            try transaction.local.forEach(below: item) { if $0.kind == .file, $0.isEdited { found.append($0) } }
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

    /// Returns the files as they are before an entry is folded.
    func filesBeforeFold(in container: LocalContainer) throws -> [LocalItem] {
        try UserActions(device: self).items { $0.kind == .file && $0.content != nil && !$0.isConflictSibling }
    }

    /// Finds files that disappeared by becoming one with another file, and shows their content there, as an edit of
    /// that file's content.
    func swapBases(of files: [LocalItem], in container: LocalContainer) throws {
        try metadata.write { transaction in
            let tree = transaction.remote(in: container.id)
            for old in files where try transaction.local.item(old.node) == nil {
                let id = try tree.standingID(for: old.item)
                guard id != old.item, var row = try transaction.local.item(id, in: container.id), row.kind == .file,
                    !row.isWriting, !row.isEdited, row.content != old.content
                else { continue }
                (row.content, row.size, row.presence, row.ranges) = (old.content, old.size, .none, [])
                (row.generation, row.pendingSince) = (row.generation + 1, time.now())
                try transaction.local.update(row)
            }
        }
    }

    /// Lets the log's names be compared by their bytes. Returns whether they were compared without case.
    func forgetFolding(in container: LocalContainer) throws -> Bool {
        guard try metadata.read({ try $0.remote(in: container.id).state().foldsNames }) else { return false }
        try setFolding(false, in: container)
        return true
    }

    func setFolding(_ folds: Bool, in container: LocalContainer) throws {
        try metadata.write { transaction in
            var tree = transaction.remote(in: container.id)
            var state = try tree.state()
            state.foldsNames = folds
            try tree.setState(state)
        }
    }

    func dropEdit(of item: LocalItem) throws {
        var row = item
        (row.presence, row.isEdited) = (.none, false)
        try content.remove(item.blob)
        try metadata.write { try $0.local.update(row) }
    }
}
