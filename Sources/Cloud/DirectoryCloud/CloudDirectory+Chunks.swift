import CloudModel
import CloudStorage
import Glibc
import Synchronization

extension CloudDirectory {
    func missing(_ chunks: [ChunkID], in container: ContainerName) throws(CloudError) -> Set<ChunkID> {
        try perform(.reading, in: container) { directory in
            let known = unsynced.withLock { $0 }
            var missing: Set<ChunkID> = []
            var found: [ChunkPlace] = []
            for id in chunks {
                let place = ChunkPlace(container: container, id: id)
                if try known.isTrusted(place) && storedLength(of: place, in: directory) != nil {
                    found.append(place)
                } else {
                    missing.insert(id)
                }
            }
            if !missing.isEmpty, let error = absence(in: directory, of: container) { throw error }
            unsynced.withLock { unsynced in for place in found { unsynced.found(place) } }
            try syncIfFull(directory)
            return missing
        }
    }

    /// Stores a chunk. The file appears complete, by a rename; it is durable only after ``syncChunks(in:)``.
    func putChunk(_ id: ChunkID, frame: [UInt8], in container: ContainerName) throws(CloudError) {
        try perform(.writing, in: container) { directory in
            let place = ChunkPlace(container: container, id: id)
            let trusted = unsynced.withLock { $0.isTrusted(place) }
            // Frames of one chunk may differ in length (another compressor made them); then either is good, and so is this one.
            if try trusted && storedLength(of: place, in: directory) == UInt64(frame.count) {
                unsynced.withLock { $0.found(place) }
            } else {
                let header = try header(.chunk, of: frame)
                try withTemporaryFile(in: directory, [header, frame], durable: false) { name in
                    try install(name, as: place, in: directory)
                }
                unsynced.withLock { $0.wrote(place) }
            }
            try syncIfFull(directory)
        }
    }

    /// Records damage in memory only: it is reported again when it is found again.
    func distrust(_ chunks: Set<ChunkID>, in container: ContainerName) {
        unsynced.withLock { $0.doubt(Set(chunks.map { ChunkPlace(container: container, id: $0) })) }
    }

    func getChunk(_ id: ChunkID, in container: ContainerName) throws(CloudError) -> [UInt8] {
        try perform(.reading, in: container) { directory in
            let path = CloudLayout.chunk(ChunkPlace(container: container, id: id))
            if let frame = try readFrame(.chunk, at: path, in: directory) { return frame }
            throw absence(in: directory, of: container)
                ?? CloudError(
                    .notFound,
                    "The cloud at \(root) has no chunk \(id) of \(container); the device that has it has not uploaded it yet."
                )
        }
    }

    private func install(_ name: String, as place: ChunkPlace, in directory: Descriptor) throws {
        let path = CloudLayout.chunk(place)
        do { try directory.rename(name, to: path) } catch  where error.code == ENOENT {
            try directory.makeDirectory(CloudLayout.chunkShard(place))
            try directory.rename(name, to: path)
        }
    }

    /// Returns the length of a chunk's frame; nil if the file is absent or incomplete, as after a power cut.
    func storedLength(of place: ChunkPlace, in directory: Descriptor) throws(PathError) -> UInt64? {
        guard let file = try directory.openIfPresent(CloudLayout.chunk(place), O_RDONLY) else { return nil }
        let size = Int64(try file.status().st_size)
        let header = try file.read(StoredFrame.headerSize)
        do throws(StoredFrame.Problem) { return try StoredFrame(.chunk, header: header, fileSize: size).length } catch {
            return nil
        }
    }

    private func syncIfFull(_ directory: Descriptor) throws {
        if unsynced.withLock({ $0.isFull }) { try syncChunks(in: directory) }
    }
}
