package import CloudModel
import GRDB

import struct Foundation.Data

/// Versions in conflict: of a file its siblings, of a package other packages.
extension LocalTree {
    private func hasSiblings() throws -> Bool {
        try memory.flag(\.hasSiblings) {
            try number("SELECT EXISTS (SELECT 1 FROM local WHERE conflictOf IS NOT NULL)") != 0
        }
    }

    /// The siblings in a folder, whichever documents they belong to; in the same order on every device.
    package func siblings(in folder: NodeID) throws -> [LocalItem] {
        guard try hasSiblings() else { return [] }
        return try fetchAll(
            """
            SELECT \(LocalItem.selection) FROM local WHERE parent = ? AND conflictOf IS NOT NULL
            ORDER BY conflictSequence, conflictIndex
            """, [Int64(bitPattern: folder.value)])
    }

    /// The siblings that the mount shows for a document.
    package func siblings(of document: ItemID, in container: ContainerID) throws -> [LocalItem] {
        guard try hasSiblings() else { return [] }
        return try fetchAll(
            """
            SELECT \(LocalItem.selection) FROM local WHERE container = ? AND conflictOf = ?
            ORDER BY conflictSequence, conflictIndex
            """, [container.value, document.data])
    }

    /// Every conflict sibling, at most `limit`.
    package func allSiblings(limit: Int) throws -> [LocalItem] {
        try fetchAll("SELECT \(LocalItem.selection) FROM local WHERE conflictOf IS NOT NULL LIMIT ?", [limit])
    }

    /// The packages that say that they are versions in conflict, whether or not their documents are there.
    package func packageConflicts() throws -> [LocalItem] {
        try fetchAll(
            "SELECT \(LocalItem.selection) FROM local WHERE \(Self.isPackageConflict) ORDER BY node LIMIT 10000"
        )
        .filter { $0.packageConflict != nil }
    }

    /// The versions in conflict of a document, file or package, in an order of their own.
    package func conflicts(of document: LocalItem) throws -> [LocalItem] {
        guard document.kind == .folder else { return try siblings(of: document.item, in: document.container) }
        guard document.isPackage else { return [] }
        return try packageConflicts().filter {
            $0.container == document.container && $0.packageConflict?.document == document.item
                && $0.item != document.item
        }
    }

    /// The document that an item is a version in conflict of; nil for what is none, or whose document is gone.
    package func document(ofVersion item: LocalItem) throws -> LocalItem? {
        guard let place = item.conflictPlace, let document = try self.item(place.document, in: item.container) else {
            return nil
        }
        return item.conflict != nil || document.isPackage && document.item != item.item ? document : nil
    }

    /// As the index `local_packageConflict` has it: SQLite takes it for the same words alone.
    static let isPackageConflict = "kind = 0 AND instr(extended, x'\(name)') > 0"
    private static let name = ReservedAttribute.conflict.utf8.map { byte in
        String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }.joined()
}
