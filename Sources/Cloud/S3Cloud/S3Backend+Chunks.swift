package import CloudModel
package import CloudStorage
import S3Client
import Synchronization

extension S3Backend {
    package func missing(_ chunks: [ChunkID], in container: ContainerName) async throws -> Set<ChunkID> {
        let present = try await present(chunks.map { ChunkKey($0) }, in: container)
        return Set(chunks).subtracting(present.map(\.id))
    }

    package func putChunk(_ chunk: OutgoingChunk, in container: ContainerName) async throws {
        try await putChunk(chunk, epoch: 0, in: container)
    }

    package func putChunks(_ chunks: [OutgoingChunk], in container: ContainerName) async throws {
        try await putChunks(chunks, epoch: 0, in: container)
    }

    /// Records corruption in memory only: rediscovery repeats the report.
    package func distrust(_ chunks: Set<ChunkID>, in container: ContainerName) async throws {
        state.withLock { $0.distrusted.formUnion(chunks.map { ChunkPlace(container: container, id: $0) }) }
    }

    package func getChunk(_ id: ChunkID, in container: ContainerName) async throws -> [UInt8] {
        try await perform {
            if let frame = try await self.chunk(ChunkKey(id), in: container) { return frame }
            // After a garbage collection, a chunk may exist only under a later key.
            for key in try await self.keys(of: id, in: container).reversed() {
                if let frame = try await self.chunk(key, in: container) { return frame }
            }
            try await self.requireContainer(container)
            throw CloudError(
                .notFound,
                "The cloud at \(self.client.location) has no chunk \(id) of \(container); its device has not sent it yet."
            )
        }
    }

    private func chunk(_ key: ChunkKey, in container: ContainerName) async throws -> [UInt8]? {
        let limit = StoredFrame.maximumLength(of: .chunk)
        guard case .object(let object) = try await client.get(layout.chunk(key, in: container), limit: limit) else {
            return nil
        }
        return object.bytes
    }

    /// Returns the stored keys of a chunk, sorted.
    private func keys(of id: ChunkID, in container: ContainerName) async throws -> [ChunkKey] {
        let listed = try await client.list(layout.chunk(ChunkKey(id), in: container), limit: 1000)
        return listed.compactMap { layout.chunkKey($0.key, in: container) }.filter { $0.id == id }
    }

    /// Overwrites every stored copy of a corrupt chunk.
    private func replace(_ chunk: OutgoingChunk, epoch: UInt64, in container: ContainerName) async throws {
        let keys = Set(try await keys(of: chunk.id, in: container)).union([ChunkKey(chunk.id, epoch: epoch)])
        for key in keys { try await client.put(layout.chunk(key, in: container), chunk.frame) }
    }
}

// MARK: Collection of garbage

extension S3Backend {
    /// Queries each key. Nothing is remembered: a person may have deleted objects, and `check` has to notice that.
    package func present(_ keys: [ChunkKey], in container: ContainerName) async throws -> Set<ChunkKey> {
        try await perform {
            try await self.requireContainer(container)
            let distrusted = self.state.withLock { $0.distrusted }
            let trusted = Set(keys).filter { !distrusted.contains(ChunkPlace(container: container, id: $0.id)) }
            if trusted.count >= Self.manyKeys, let all = try await self.allChunks(in: container) {
                return trusted.intersection(all)
            }
            let sizes = try await concurrently(Array(trusted)) { key in
                (key, try await self.client.size(self.layout.chunk(key, in: container)))
            }
            return Set(sizes.filter { $0.1 ?? 0 > 0 }.map(\.0))
        }
    }

    /// With at least this many keys a listing is tried first: it costs as much as a dozen requests for single keys.
    private static let manyKeys = 100

    /// - Returns: The keys of all stored chunks; nil if they exceed a page.
    private func allChunks(in container: ContainerName) async throws -> Set<ChunkKey>? {
        let page = 1000
        let listed = try await client.list(layout.chunks(container), limit: page)
        guard listed.count < page else { return nil }
        return Set(listed.filter { $0.size > 0 }.compactMap { layout.chunkKey($0.key, in: container) })
    }

    package func putChunk(_ chunk: OutgoingChunk, epoch: UInt64, in container: ContainerName) async throws {
        try await perform(.writing) {
            try await self.requireContainer(container)
            let place = ChunkPlace(container: container, id: chunk.id)
            guard self.state.withLock({ $0.distrusted.contains(place) }) else {
                let key = self.layout.chunk(ChunkKey(chunk.id, epoch: epoch), in: container)
                // The key is the digest of the bytes, so an existing object is as good.
                _ = try await self.client.putIfAbsent(key, chunk.frame)
                return
            }
            try await self.replace(chunk, epoch: epoch, in: container)
            self.state.withLock { _ = $0.distrusted.remove(place) }
        }
    }

    /// Puts the chunks concurrently: a request takes the time of a round trip, however small the chunk is.
    package func putChunks(_ chunks: [OutgoingChunk], epoch: UInt64, in container: ContainerName) async throws {
        _ = try await concurrently(chunks) { try await self.putChunk($0, epoch: epoch, in: container) }
    }

    package func storedChunks(
        in container: ContainerName, after key: ChunkKey?, limit: Int
    ) async throws -> [StoredChunk] {
        try await perform {
            try await self.requireContainer(container)
            var (chunks, after): ([StoredChunk], String?) = ([], key.map { self.layout.chunk($0, in: container) })
            while chunks.count < limit {
                let count = min(limit - chunks.count, 1000)
                let listed = try await self.client.list(self.layout.chunks(container), after: after, limit: count)
                // Objects with different names are not ours.
                chunks += listed.compactMap { object in
                    self.layout.chunkKey(object.key, in: container).map { StoredChunk(key: $0, bytes: object.size) }
                }
                guard listed.count == count, let last = listed.last else { break }
                after = last.key
            }
            return chunks
        }
    }

    package func remove(_ keys: [ChunkKey], in container: ContainerName) async throws {
        try await perform(.writing) {
            try await self.requireContainer(container)
            try await self.client.delete(keys.map { self.layout.chunk($0, in: container) })
        }
    }
}
