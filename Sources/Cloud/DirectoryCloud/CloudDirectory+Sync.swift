import CloudStorage
import Glibc
import Synchronization

extension CloudDirectory {
    /// Makes every chunk put or found before this call durable, including its name.
    ///
    /// After a failed sync the kernel drops the unwritten pages and the next sync succeeds (fsync(2), since Linux
    /// 4.13), so a retry proves nothing: the chunks are lost and have to be put again.
    func syncChunks(in directory: Descriptor) throws {
        try syncing.withLock { _ in
            let batch = unsynced.withLock { $0.take() }
            let failure = batch.isEmpty ? nil : sync(batch, in: directory)
            guard try directory.isPresent(CloudLayout.identity) else {
                unsynced.withLock { $0.giveBack(batch) }
                throw absent()
            }
            let lost = failure == nil ? batch.filter { !isWhole($0, in: directory) } : batch
            unsynced.withLock { $0.lose(lost) }
            try refuseLost(cause: failure)
        }
    }

    private func refuseLost(cause: PathError?) throws(CloudError) {
        let count = unsynced.withLock { $0.lost.count }
        guard count > 0 else { return }
        throw CloudError(
            .damaged,
            "\(count) chunks were not written to the disk of \(root) and have to be uploaded again. Check that disk.",
            cause: cause?.errno)
    }

    private func sync(_ batch: Set<ChunkPlace>, in directory: Descriptor) -> PathError? {
        do {
            if batch.count > UnsyncedChunks.oneByOne {
                try directory.syncFileSystem()
            } else {
                // An absent chunk, perhaps removed by a collection, is found below and costs the rest nothing.
                for place in batch { try directory.openIfPresent(CloudLayout.chunk(place), O_RDONLY)?.sync() }
                // A shard's folder may be as new as the chunk, so its name is synced too.
                let folders = Set(batch.flatMap { [CloudLayout.chunkShard($0), CloudLayout.chunks($0.container)] })
                for folder in folders { try directory.syncFolder(folder) }
            }
            return nil
        } catch { return error }
    }

    /// Whether the file exists in its full length. A disk that was removed and reattached may have lost it in spite of
    /// a sync without pending writes. An unreadable file is not complete.
    private func isWhole(_ place: ChunkPlace, in directory: Descriptor) -> Bool {
        (try? storedLength(of: place, in: directory)) != nil
    }
}
