import Basics
package import CloudModel
import Foundation
import GRDB

/// The size of all documents below a folder, in bytes, without conflict versions.
package struct FolderSize: Hashable, Sendable {
    package fileprivate(set) var bytes: UInt64 = 0
    /// Whether everything was visited; otherwise the folder may be larger.
    package fileprivate(set) var isComplete = true
}

extension FoldedContainer {
    /// Returns the sizes of folders, visiting at most `limit` items, some of them twice. The folders share them evenly;
    /// in a second round, unfinished folders share the rest.
    package func sizes(of folders: [ItemID], visiting limit: Int) async throws -> [ItemID: FolderSize] {
        guard !folders.isEmpty else { return [:] }
        return try await read { db in
            let statement = try db.cachedStatement(
                sql: "SELECT id, kind, size FROM item WHERE parent = ? AND isDeleted = 0 LIMIT ?")
            var sizes: [ItemID: FolderSize] = [:]
            var rest = limit
            for _ in 0..<2 {
                let open = folders.filter { !(sizes[$0]?.isComplete ?? false) }
                var left = rest
                for (index, folder) in open.enumerated() {
                    let share = left / (open.count - index)
                    var unused = share
                    let size = try Self.size(of: folder, visiting: &unused, statement)
                    left -= share - unused
                    if size.isComplete { rest -= share - unused }
                    if size.isComplete || size.bytes >= sizes[folder]?.bytes ?? 0 { sizes[folder] = size }
                }
            }
            return sizes
        }
    }

    /// - Parameter left: How many items may be visited; decreased by those visited.
    private static func size(of folder: ItemID, visiting left: inout Int, _ statement: Statement) throws -> FolderSize {
        var size = FolderSize()
        var waiting = [folder.data]
        while let parent = waiting.popLast() {
            // A row more than may be visited shows that there are more.
            let rows = try Row.fetchCursor(statement, arguments: [parent, left + 1])
            while let row = try rows.next() {
                guard left > 0 else {
                    size.isComplete = false
                    return size
                }
                left -= 1
                if row["kind"] as Int64 == Int64(ItemKind.folder.rawValue) { waiting.append(row["id"]) }
                size.bytes = size.bytes.saturatingSum(UInt64(clamping: row["size"] as Int64? ?? 0))
            }
        }
        return size
    }
}
