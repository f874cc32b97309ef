import Basics
import Chunking
package import CloudModel
import CloudStorage

extension ContentUploader {
    /// Returns whether an upload of a file fits into `free` bytes, that is, whether the total size of the frames
    /// missing from the cloud does. Sends only names. Reads, and compresses, no more of the file than necessary to
    /// decide.
    package func fits(_ item: UploadItem, into free: UInt64, in container: ContainerName) async throws -> Bool {
        var stager = UploadStager(items: [item], chunker: chunker)
        let sender = PieceSender(items: [item], container: container, context: context)
        var seen: Set<ChunkID> = []
        var needed: UInt64 = 0
        while !stager.isAtEnd {
            try Task.checkCancellation()
            let before = stager
            let (events, after) = await context.pool.run {
                var stager = before
                return (stager.step(), stager)
            }
            stager = after
            var pieces: [(entry: ChunkEntry, offset: UInt64)] = []
            for event in events {
                switch event {
                case .chunk(let entry, _, let offset):
                    if seen.insert(entry.id).inserted { pieces.append((entry, offset)) }
                case .hashed: break
                case .failed(_, let error): throw error
                }
            }
            let missing = try await sender.missing(pieces.map(\.entry.id))
            let lacking = pieces.filter { missing.contains($0.entry.id) }
            needed += try await context.pool.run { () throws -> UInt64 in
                let file = try item.openUnchanged()
                return try lacking.reduce(0) { sum, piece in
                    let frame = ChunkFrame.encode(try file.read(at: piece.offset, length: piece.entry.length))
                    return sum + UInt64(frame.count)
                }
            }
            if needed > free { return false }
        }
        return true
    }
}
