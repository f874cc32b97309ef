import CloudModel
import CloudStorage
import Glibc
import Synchronization

extension CloudDirectory {
    func missing(_ chunks: [ChunkID], in container: ContainerName) throws(CloudError) -> Set<ChunkID> {
        let found = try present(chunks.map { ChunkKey($0) }, in: container)
        return Set(chunks.filter { !found.contains(ChunkKey($0)) })
    }

    /// Stores a chunk. The file appears complete, by a rename; it is durable only after ``syncChunks(in:)``.
    func putChunk(_ key: ChunkKey, frame: [UInt8], in container: ContainerName) throws(CloudError) {
        try perform(.writing, in: container) { directory in
            let place = ChunkPlace(container: container, key: key)
            let (isTrusted, isCorrupt) = unsynced.withLock { ($0.isTrusted(place), $0.isCorrupt(place)) }
            // Frames of one chunk may differ in length (if compressed differently); then each of them is good.
            if try isTrusted && storedLength(of: place, in: directory) == UInt64(frame.count) {
                unsynced.withLock { $0.found(place) }
            } else {
                try store(frame, as: place, durable: false, in: directory)
                if isCorrupt { try replaceCopies(of: place, with: frame, in: directory) }
                unsynced.withLock { $0.wrote(place) }
            }
            try syncIfFull(directory)
        }
    }

    /// Records corruption in memory only: rediscovery repeats the report.
    func distrust(_ chunks: Set<ChunkID>, in container: ContainerName) {
        unsynced.withLock { unsynced in
            for id in chunks { unsynced.distrust(ChunkPlace(container: container, id: id)) }
        }
    }

    /// Replaces the copies of a corrupt chunk under its other keys: it is unknown which of them is corrupt, and readers
    /// take any. A remote device may rely on a good copy, so they are durable when this returns.
    private func replaceCopies(of place: ChunkPlace, with frame: [UInt8], in directory: Descriptor) throws {
        for other in try copies(of: place, in: directory) where other != place {
            try store(frame, as: other, durable: true, in: directory)
            try directory.syncFolder(CloudLayout.chunkShard(other))
        }
    }

    private func store(_ frame: [UInt8], as place: ChunkPlace, durable: Bool, in directory: Descriptor) throws {
        let header = try header(of: frame) { bytes throws(StoredFrame.Problem) in try .chunk(bytes) }
        try withTemporaryFile(in: directory, [header, frame], durable: durable) { name in
            try install(name, as: place, in: directory)
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
        let header = try file.read(StoredFrame.headerSize(of: .chunk))
        do throws(StoredFrame.Problem) { return try StoredFrame(.chunk, header: header, fileSize: size).length } catch {
            return nil
        }
    }

    func syncIfFull(_ directory: Descriptor) throws {
        if unsynced.withLock({ $0.isFull }) { try syncChunks(in: directory) }
    }
}
