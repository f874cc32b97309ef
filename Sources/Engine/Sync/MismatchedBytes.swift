import Basics
import Chunking
import CloudModel
import Glibc
import LocalContent
package import LocalMetadata
import Logging

/// Finds files with bytes that differ from their rows although they have nothing unsent. A backup program that copies a
/// state file by file while its device works creates such states.
///
/// The bytes become a new document beside the original, which becomes a placeholder: they may be an edit or an earlier
/// version, so they replace nothing.
package struct MismatchedBytes {
    private static let page = 512

    private let context: EngineContext

    package init(_ context: EngineContext) { self.context = context }

    /// Examines all complete local files. Runs concurrently with everything else. Blocks.
    package func separate(isInUse: (LocalItem) -> Bool) throws {
        var last = NodeID.root
        while case let page = try context.metadata.read({ try $0.local.present(after: last, limit: Self.page) }),
            let end = page.last
        {
            last = end.node
            for item in page where !isInUse(item) {
                // An unreadable file does not hold up the rest.
                do { try examine(item) } catch let error as Errno {
                    context.log.warning(
                        "the bytes of a document could not be compared with its row",
                        metadata: ["node": "\(item.node)", "why": "\(error)"])
                }
            }
        }
    }

    private func examine(_ item: LocalItem) throws {
        guard let blob = try mismatch(of: item) else { return }
        if try hasContent(item) { try setTime(of: item, blob) } else { try separate(item, blob) }
    }

    /// Returns the status of a blob that does not match the row of an unedited file; nil if it matches.
    private func mismatch(of item: LocalItem) throws -> BlobStatus? {
        guard item.content != nil, item.presence == .whole, !item.isEdited, !item.isWriting else { return nil }
        let blob: BlobStatus
        // A missing blob is handled by `Recovery.repairLost`.
        do throws(Errno) { blob = try context.content.status(item.blob) } catch {
            guard error.code == ENOENT else { throw error }
            return nil
        }
        let isMatch = blob.size == item.size && context.content.isTime(item.attributes.modified, of: blob)
        return isMatch ? nil : blob
    }

    private func hasContent(_ item: LocalItem) throws -> Bool {
        let descriptor = try context.content.open(item.blob)
        defer { close(descriptor) }
        var (entries, offset): ([ChunkEntry], UInt64) = ([], 0)
        while entries.count <= Manifest.maximumCount {
            let scan = try FileChunker().scan(descriptor, from: offset, budget: 4 << 20, expectedSize: item.size)
            entries += scan.entries
            offset = scan.nextOffset
            if scan.reachedEnd { return Manifest(entries).reference == item.content }
        }
        return false
    }

    /// Sets the time of a blob whose row got a different time from the log, so that the next start does not read it
    /// again.
    private func setTime(of item: LocalItem, _ blob: BlobStatus) throws {
        try context.metadata.write(.freeing) { transaction in
            // A program writes to a blob only after its row says so.
            guard try isUnchanged(item, blob, transaction) else { return }
            try context.content.setModified(item.attributes.modified, of: item.blob)
        }
    }

    private func isUnchanged(
        _ item: LocalItem, _ blob: BlobStatus, _ transaction: MetadataTransaction
    ) throws -> Bool {
        guard let row = try transaction.local.item(item.node), row.blob == item.blob, row.content == item.content
        else { return false }
        return try mismatch(of: row) == blob
    }

    private func separate(_ item: LocalItem, _ blob: BlobStatus) throws {
        try context.changeTree(.freeing) { transaction, effects in
            guard try isUnchanged(item, blob, transaction), var row = try transaction.local.item(item.node) else {
                return
            }
            if blob.size > 0 { try keepBeside(row, blob, transaction, &effects) }
            effects.orphanedBlobs.append(row.blob)
            effects.changedNodes.insert(row.node)
            (row.presence, row.ranges, row.generation) = (.none, [], row.generation + 1)
            try transaction.local.update(row)
        }
        context.log.error(
            "the bytes of a document were not those that its row describes, and were kept beside it",
            metadata: ["node": "\(item.node)", "name": "\(item.name)"])
    }

    private func keepBeside(
        _ row: LocalItem, _ blob: BlobStatus, _ transaction: MetadataTransaction, _ effects: inout TreeEffects
    ) throws {
        let name = try row.name.firstFree { try transaction.local.item(named: $0, in: row.parent) != nil }
        var attributes = row.attributes
        attributes.modified = blob.modified
        var copy = LocalItem(
            container: row.container, item: context.newID(), parent: row.parent, name: name, kind: .file,
            attributes: attributes, changed: context.time.now())
        (copy.user, copy.group) = (row.user, row.group)
        (copy.size, copy.presence, copy.isEdited, copy.generation) = (blob.size, .whole, true, 1)
        copy.pendingSince = context.time.now()
        copy.node = try transaction.local.insert(copy)
        try context.content.link(row.blob, of: context.content, as: copy.blob)
        // The former name is removed after the commit, so the new name has to survive a loss of power.
        try context.content.sync(copy.blob)
        effects.changedEntries.insert(TreeEffects.Entry(parent: row.parent, name: name))
        effects.changedNodes.insert(row.parent)
        effects.created.insert(copy.node)
    }
}
