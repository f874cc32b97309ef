import Basics
import CloudModel
import CloudStorage
import Glibc
import Synchronization

/// Chunks by their keys; see ``ChunkCollecting``.
extension CloudDirectory {
    func present(_ keys: [ChunkKey], in container: ContainerName) throws(CloudError) -> Set<ChunkKey> {
        try perform(.reading, in: container) { directory in
            let known = unsynced.withLock { $0 }
            var found: Set<ChunkKey> = []
            for key in keys {
                let place = ChunkPlace(container: container, key: key)
                if try known.isTrusted(place) && storedLength(of: place, in: directory) != nil { found.insert(key) }
            }
            if found.count < Set(keys).count, let error = absence(in: directory, of: container) { throw error }
            unsynced.withLock { unsynced in
                for key in found { unsynced.found(ChunkPlace(container: container, key: key)) }
            }
            try syncIfFull(directory)
            return found
        }
    }

    /// Returns the next page of the listing. It keeps at most twice the page's number of keys.
    func storedChunks(
        in container: ContainerName, after key: ChunkKey?, limit: Int
    ) throws(CloudError) -> [StoredChunk] {
        try perform(.reading, in: container) { directory in
            var page: [StoredChunk] = []
            var last = key
            var shard = (key?.id.words.0 ?? 0) >> 56
            while shard <= 255, page.count < limit {
                let wanted = limit - page.count
                let keys = try smallestKeys(wanted, after: last, shard: shard, of: container, in: directory)
                page += try keys.compactMap {
                    try storedChunk(ChunkPlace(container: container, key: $0), in: directory)
                }
                last = keys.last ?? last
                if keys.count < wanted { shard += 1 }
            }
            // An empty page ends the listing, so first confirm the cloud's presence.
            if page.isEmpty, let error = absence(in: directory, of: container) { throw error }
            return page
        }
    }

    func remove(_ keys: [ChunkKey], in container: ContainerName) throws(CloudError) {
        try perform(.writing, in: container) { directory in
            for key in keys {
                let place = ChunkPlace(container: container, key: key)
                do throws(PathError) { try directory.remove(CloudLayout.chunk(place)) } catch {
                    guard error.code == ENOENT else { throw error }
                    if let absence = absence(in: directory, of: container) { throw absence }
                }
                unsynced.withLock { $0.removed(place) }
            }
        }
    }

    /// Returns the frame of a chunk under any of its keys: preferably that of epoch 0, because it takes no listing. If
    /// a copy is damaged, or its bytes are known to be corrupt, the newest remaining copy is preferred.
    func getChunk(_ id: ChunkID, in container: ContainerName) throws(CloudError) -> [UInt8] {
        try perform(.reading, in: container) { directory in
            let base = ChunkPlace(container: container, id: id)
            var problem: CloudError?
            if unsynced.withLock({ !$0.isCorrupt(base) }), let frame = try read(base, &problem, in: directory) {
                return frame
            }
            for place in try copies(of: base, in: directory).reversed() {
                if let frame = try read(place, &problem, in: directory) { return frame }
            }
            throw absence(in: directory, of: container) ?? problem
                ?? CloudError(
                    .notFound,
                    "The cloud at \(root) has no chunk \(id) of \(container); its device has not sent it yet.")
        }
    }

    /// Returns the places of a chunk, sorted by key.
    func copies(of place: ChunkPlace, in directory: Descriptor) throws(PathError) -> [ChunkPlace] {
        var found: [ChunkPlace] = []
        try forEachKey(inShardOf: place, directory) { key in
            if key.id == place.key.id { found.append(ChunkPlace(container: place.container, key: key)) }
        }
        return found.sorted { $0.key < $1.key }
    }

    /// Reads a copy. Returns nil if it is absent, or damaged: then `problem` has the reason.
    private func read(_ place: ChunkPlace, _ problem: inout CloudError?, in directory: Descriptor) throws -> [UInt8]? {
        do { return try readFrame(.chunk, at: CloudLayout.chunk(place), in: directory)?.payload } catch let error
            as CloudError
        {
            problem = problem ?? error
            return nil
        }
    }

    private func smallestKeys(
        _ count: Int, after key: ChunkKey?, shard: UInt64, of container: ContainerName, in directory: Descriptor
    ) throws(PathError) -> ArraySlice<ChunkKey> {
        var keys: [ChunkKey] = []
        let any = ChunkPlace(container: container, id: ChunkID(words: (shard << 56, 0, 0, 0)))
        try forEachKey(inShardOf: any, directory) { found in
            if let key, found <= key { return }
            keys.append(found)
            if keys.count >= count.saturatingProduct(2) { keys = Array(keys.sorted().prefix(count)) }
        }
        return keys.sorted().prefix(count)
    }

    /// Calls `body` for every key of a shard, unordered; never if the shard is absent.
    private func forEachKey(
        inShardOf place: ChunkPlace, _ directory: Descriptor, _ body: (ChunkKey) -> Void
    ) throws(PathError) {
        let shard = Hex.encode(UInt8(truncatingIfNeeded: place.key.id.words.0 >> 56))
        do {
            try directory.forEachName(in: CloudLayout.chunkShard(place)) { name in
                if let key = CloudLayout.chunkKey(shard: shard, name: name) { body(key) }
            }
        } catch  where error.code == ENOENT {}
    }

    /// Returns nil for a chunk removed meanwhile, and for anything but a file.
    private func storedChunk(_ place: ChunkPlace, in directory: Descriptor) throws(PathError) -> StoredChunk? {
        guard let info = try directory.statusIfPresent(CloudLayout.chunk(place)), info.st_mode & S_IFMT == S_IFREG
        else {
            return nil
        }
        return StoredChunk(key: place.key, bytes: UInt64(clamping: info.st_size))
    }
}
