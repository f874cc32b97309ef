import CloudModel
import Foundation
import Glibc

/// The progress of a backup or a restore.
package struct CopyProgress: Hashable, Sendable {
    /// Chunks already checked, and chunks in total.
    package internal(set) var done = 0
    package internal(set) var total = 0
    /// The number of chunks copied; the rest already existed.
    package internal(set) var copied = 0
    package internal(set) var copiedBytes: UInt64 = 0
    /// Chunks with missing or corrupt files.
    package internal(set) var lost = 0
}

/// Copies the files of all chunks of a database from one directory to another. Blocks.
struct ChunkCopying {
    let source: String
    let target: String
    let copy: FileCopy
    private static let page = 512

    /// Copies the files. `onLost` is called with the chunks whose files do not match their rows.
    func run(
        _ database: SQLiteFile, _ progress: (CopyProgress) -> Void, onLost: ([ChunkPlace]) throws -> Void
    ) throws -> CopyProgress {
        var state = CopyProgress()
        state.total = try database.read(ChunkStore.count)
        var position = (container: Int64(0), id: Data())
        var folders: Set<Substring> = []
        while true {
            let places = try database.read {
                try ChunkStore.places(after: position, limit: Self.page, $0)
            }
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
}
