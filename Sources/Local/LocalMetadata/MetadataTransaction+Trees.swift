package import CloudModel
import ContainerLog
import GRDB

import struct Foundation.Data

/// Queries across the local tree and the log.
extension MetadataTransaction {
    /// Returns the log's view of a local item; nil if the log has none.
    package func cloudItem(_ item: LocalItem) throws -> CloudVersion? {
        guard let cloud = try remote(in: item.container).item(item.item), !cloud.isDeleted else {
            return nil
        }
        return CloudVersion(content: cloud.body.content?.reference, version: cloud.version, device: cloud.authorName)
    }

    /// Returns whether the log has an unresolved conflict version of a document. It may have no sibling yet: the document
    /// was deleted on this device when the version arrived, and has returned since.
    package func hasUnresolvedVersions(_ document: ItemID, in container: ContainerID) throws -> Bool {
        guard let versions = try remote(in: container).item(document)?.conflicts, !versions.isEmpty else {
            return false
        }
        let resolved = Set(try pending.resolutions(of: document, in: container).map(\.version))
        return versions.contains { !resolved.contains($0.version) }
    }

    /// Returns the name of a conflict version's author device.
    package func author(of sibling: LocalItem) throws -> String? {
        if let package = sibling.packageConflict { return package.device }
        guard let conflict = sibling.conflict else { return nil }
        let document = try remote(in: sibling.container).item(conflict.document)
        return document?.conflicts.first { $0.version == conflict.version }?.authorName
    }

    /// Returns whether the log has a newer version of a file without edits.
    package func isStale(_ file: LocalItem) throws -> Bool {
        guard let newest = try cloudItem(file)?.content, newest != file.content else { return false }
        return try synced.showsAgreed(file)
    }

    /// Returns items whose current content was set by an entry of the log.
    package func items(from sequence: LogSequence, in container: ContainerID, limit: Int) throws -> [LocalItem] {
        try Data.fetchAll(
            db, sql: "SELECT item FROM remote WHERE container = ? AND sequence = ? LIMIT ?",
            arguments: [container.value, Int64(bitPattern: sequence.value), limit]
        ).compactMap { try local.item(ItemID(data: $0), in: container) }
    }
}
