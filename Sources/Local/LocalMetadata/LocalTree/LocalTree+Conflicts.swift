package import CloudModel
import GRDB

import struct Foundation.Data

/// Reads the versions in conflict: siblings of a file, or other packages of a package.
extension LocalTree {
    private func hasSiblings() throws -> Bool {
        try memory.flag(\.hasSiblings) {
            try number("SELECT EXISTS (SELECT 1 FROM local WHERE conflictOf IS NOT NULL)") != 0
        }
    }

    /// Returns the siblings in a folder, whichever documents they belong to; in the same order on every device.
    package func siblings(in folder: NodeID) throws -> [LocalItem] {
        guard try hasSiblings() else { return [] }
        return try fetchAll(
            """
            SELECT \(LocalItem.selection) FROM local WHERE parent = ? AND conflictOf IS NOT NULL
            ORDER BY conflictSequence, conflictIndex
            """, [Int64(bitPattern: folder.value)])
    }

    /// Returns the siblings shown for a document in the mount.
    package func siblings(of document: ItemID, in container: ContainerID) throws -> [LocalItem] {
        guard try hasSiblings() else { return [] }
        return try fetchAll(
            """
            SELECT \(LocalItem.selection) FROM local WHERE container = ? AND conflictOf = ?
            ORDER BY conflictSequence, conflictIndex
            """, [container.value, document.data])
    }

    /// Returns all conflict siblings, at most `limit`.
    package func allSiblings(limit: Int) throws -> [LocalItem] {
        try fetchAll("SELECT \(LocalItem.selection) FROM local WHERE conflictOf IS NOT NULL LIMIT ?", [limit])
    }

    /// Returns the packages marked as conflict versions, whether or not their documents exist.
    package func packageConflicts() throws -> [LocalItem] {
        try fetchAll(
            "SELECT \(LocalItem.selection) FROM local WHERE \(Self.isPackageConflict) ORDER BY node LIMIT 10000"
        )
        .filter { $0.packageConflict != nil }
    }

    /// Returns the versions in conflict of a document, file or package, in a fixed order.
    package func conflicts(of document: LocalItem) throws -> [LocalItem] {
        guard document.kind == .folder else { return try siblings(of: document.item, in: document.container) }
        guard document.isPackage else { return [] }
        return try packageConflicts().filter {
            $0.container == document.container && $0.packageConflict?.document == document.item
                && $0.item != document.item
        }
    }

    /// Returns the document of which an item is a conflict version; nil for other items, or if the document is gone.
    package func document(ofVersion item: LocalItem) throws -> LocalItem? {
        guard let place = item.conflictPlace, let document = try self.item(place.document, in: item.container) else {
            return nil
        }
        return item.conflict != nil || document.isPackage && document.item != item.item ? document : nil
    }

    /// Spelled as in the index `local_packageConflict`: SQLite uses the index only for the same expression.
    static let isPackageConflict = "kind = 0 AND instr(extended, x'\(name)') > 0"
    private static let name = ReservedAttribute.conflict.utf8.map { byte in
        String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }.joined()
}
