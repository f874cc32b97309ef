import CloudModel
import Foundation
import GRDB
import Glibc

/// How far a backup or a restore is.
package struct CopyProgress: Hashable, Sendable {
    /// Chunks looked at, and in all.
    package internal(set) var done = 0
    package internal(set) var total = 0
    /// Of those, copied now; the others were there already.
    package internal(set) var copied = 0
    package internal(set) var copiedBytes: UInt64 = 0
    /// Chunks whose files are gone or not what was written.
    package internal(set) var lost = 0
}

/// Copies the files of all chunks that a database lists, from one directory to another. Blocks.
struct ChunkCopying {
    let source: String
    let target: String
    let copy: FileCopy
    private static let page = 512

    /// `onLost` is called with those whose files are not as the row says.
    func run(
        _ database: DatabaseQueue, _ progress: (CopyProgress) -> Void, onLost: ([ChunkPlace]) throws -> Void
    ) throws -> CopyProgress {
        var state = CopyProgress()
        state.total = try database.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM chunk") } ?? 0
        var position = (container: Int64(0), id: Data())
        var folders: Set<Substring> = []
        while true {
            let places = try database.read { try Self.page(after: position, $0) }
            guard let last = places.last else { return state }
            position = (last.container, Data(last.id.bytes))
            var lost: [ChunkPlace] = []
            for place in places {
                let name = place.name
                let folder = name[..<(name.lastIndex(of: "/") ?? name.startIndex)]
                if folders.insert(folder).inserted { try makeFolders(folder, below: target) }
                switch try copy.put("\(source)/\(name)", at: "\(target)/\(name)", size: place.size) {
                case .copied:
                    state.copied += 1
                    state.copiedBytes += UInt64(place.size)
                case .there: break
                case .absent: lost.append(place)
                }
            }
            state.done += places.count
            state.lost += lost.count
            try onLost(lost)
            progress(state)
        }
    }

    private static func page(after position: (container: Int64, id: Data), _ db: Database) throws -> [ChunkPlace] {
        let rows = try Row.fetchAll(
            db,
            sql: "SELECT container, id, size FROM chunk WHERE (container, id) > (?, ?) ORDER BY container, id LIMIT ?",
            arguments: [position.container, position.id, page])
        return try rows.map { row in
            guard let id = ChunkID(row["id"] as Data) else {
                throw StorageError(.damaged, "The database has a chunk without a name.")
            }
            return ChunkPlace(container: row["container"], id: id, size: row["size"])
        }
    }
}
