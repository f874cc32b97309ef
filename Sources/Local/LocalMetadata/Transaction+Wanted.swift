import Basics
import CloudModel
import GRDB

extension MetadataTransaction {
    /// Asks for the bytes of a file, or of every file below a folder, that are not all here or not the newest.
    ///
    /// - Returns: How many files.
    package func want(_ item: LocalItem, priority: UInt8) throws -> (items: Int, bytes: UInt64) {
        var result: (items: Int, bytes: UInt64) = (0, 0)
        try forEach(below: item) { file in
            guard file.kind == .file, try !file.isMaterialised || isStale(file) else { return }
            result.items += 1
            result.bytes = result.bytes.saturatingSum(file.size)
            guard file.wanted < priority else { return }
            var wanted = file
            wanted.wanted = priority
            wanted.downloadError = nil
            try update(wanted)
        }
        return result
    }

    /// Whether a download was asked for of the item or of anything below it, and has not ended. Looks at what is wanted, not at what is
    /// below: a folder may hold very much.
    package func isAnyWanted(below ancestor: NodeID) throws -> Bool {
        let nodes = try Int64.fetchCursor(
            db.cachedStatement(
                sql: "SELECT node FROM local WHERE wanted > 0 AND wanted > \(DownloadPriority.whenSpace)"))
        while let node = try nodes.next() {
            if try isInside(NodeID(UInt64(bitPattern: node)), ancestor) { return true }
        }
        return false
    }

    /// Whether the log has a newer version of a file without edits.
    package func isStale(_ file: LocalItem) throws -> Bool {
        guard let newest = try cloudItem(file)?.content, newest != file.content else { return false }
        return try showsAgreed(file)
    }

    /// Visits an item and, for a folder, all that is below it, page by page.
    package func forEach(below item: LocalItem, _ body: (LocalItem) throws -> Void) throws {
        try body(item)
        guard item.kind == .folder else { return }
        var folders = [item.node]
        while let folder = folders.popLast() {
            var last = NodeID(0)
            while case let children = try children(of: folder, after: last, limit: 500), !children.isEmpty {
                for child in children {
                    last = child.node
                    if child.kind == .folder { folders.append(child.node) }
                    try body(child)
                }
            }
        }
    }
}
