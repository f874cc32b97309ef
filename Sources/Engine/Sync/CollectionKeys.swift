import Basics
import Chunking
import CloudModel
import CloudStorage
import ContainerLog
import LocalMetadata
import Logging
import Synchronization
import Transfers

/// Chooses keys by the garbage collections proposed in the folded log. Before the first proposal, and in clouds without
/// device-run collection, everything works as if there were no keys.
final class CollectionKeys: UploadKeys {
    private let metadata: MetadataDatabase
    private let backend: any CloudBackend
    private let pool: BlockingPool
    private let log: Logger
    private let stored = Mutex<[ContainerName: Stored]>([:])

    /// Chunks with a lasting key in the cloud, as of a proposed epoch.
    private struct Stored {
        let epoch: UInt64
        var chunks: Set<ChunkID> = []
    }

    /// A container where keys matter.
    private struct Place {
        let container: ContainerID
        let backend: any ChunkCollecting
        let safety: KeySafety
    }

    private static let maximumStored = 200_000
    private static let queryChunks = 512
    /// The number of a list's keys stored per transaction.
    private static let transactionKeys = 5_000

    init(metadata: MetadataDatabase, backend: any CloudBackend, pool: BlockingPool, log: Logger) {
        self.metadata = metadata
        self.backend = backend
        self.pool = pool
        self.log = log
    }

    /// Returns whether keys matter: devices collect the cloud's garbage, and the folded log has proposed a collection.
    func matter(in container: ContainerName) async throws -> Bool { try await collections(in: container) != nil }

    func missing(_ chunks: [ChunkID], in container: ContainerName) async throws -> Set<ChunkID> {
        guard let place = try await place(container) else { return try await backend.missing(chunks, in: container) }
        let known = stored.withLock { $0[container].flatMap { $0.epoch == place.safety.epoch ? $0.chunks : nil } } ?? []
        let unknown = chunks.filter { !known.contains($0) }
        var missing = Set(unknown)
        for start in stride(from: 0, to: unknown.count, by: Self.queryChunks) {
            let part = unknown[start..<min(start + Self.queryChunks, unknown.count)]
            let present = try await place.backend.present(part.flatMap(place.safety.candidates), in: container)
            missing.subtract(try await safe(present, place))
        }
        note(Set(unknown).subtracting(missing), place.safety.epoch, in: container)
        return missing
    }

    func put(_ chunks: [OutgoingChunk], in container: ContainerName) async throws {
        guard let place = try await place(container) else { return try await backend.put(chunks, in: container) }
        try await place.backend.putChunks(chunks, epoch: place.safety.epoch, in: container)
        note(Set(chunks.map(\.id)), place.safety.epoch, in: container)
    }

    func forgetStored(in container: ContainerName) { stored.withLock { $0[container] = nil } }

    private func note(_ chunks: Set<ChunkID>, _ epoch: UInt64, in container: ContainerName) {
        stored.withLock { stored in
            if stored[container]?.epoch ?? 0 > epoch { return }
            if stored[container]?.epoch != epoch || stored[container]?.chunks.count ?? 0 > Self.maximumStored {
                stored[container] = Stored(epoch: epoch)
            }
            stored[container]?.chunks.formUnion(chunks)
        }
    }

    /// Returns the chunks of those keys that no collection may remove.
    private func safe(_ present: Set<ChunkKey>, _ place: Place) async throws -> Set<ChunkID> {
        try await pool.run { [metadata] () throws(any Error) in
            try metadata.read { transaction in
                var safe: Set<ChunkID> = []
                for key in present where !safe.contains(key.id) {
                    let listed = try transaction.collections.listedEpochs(of: key.id, in: place.container)
                    if place.safety.isSafe(key, listed: listed) { safe.insert(key.id) }
                }
                return safe
            }
        }
    }

    // MARK: Lists

    private func collections(
        in container: ContainerName
    ) async throws -> (id: ContainerID, backend: any ChunkCollecting, epoch: UInt64, unread: [ProposedCollection])? {
        guard let backend = backend.facet((any ChunkCollecting).self) else { return nil }
        let found = try await pool.run { [metadata] () throws(any Error) in
            try metadata.read { transaction -> (ContainerID, UInt64, [ProposedCollection])? in
                guard let id = try transaction.container(named: container)?.id else { return nil }
                let epoch = try transaction.remote(in: id).collectionEpochs().proposed
                guard epoch > 0 else { return nil }
                return (id, epoch, try transaction.collections.unread(in: id, upTo: epoch))
            }
        }
        return found.map { ($0.0, backend, $0.1, $0.2) }
    }

    /// Reads the unread lists.
    private func place(_ container: ContainerName) async throws -> Place? {
        guard let (id, backend, epoch, unread) = try await collections(in: container) else { return nil }
        var newestUnread: UInt64 = 0
        for collection in unread where try await !read(collection, id, container) { newestUnread = collection.epoch }
        return Place(container: id, backend: backend, safety: KeySafety(epoch: epoch, unread: newestUnread))
    }

    /// Reads and stores a list. Returns false if it is unreadable; throws if the cloud cannot be reached.
    private func read(_ collection: ProposedCollection, _ id: ContainerID, _ container: ContainerName) async throws
        -> Bool
    {
        let list: CollectionList
        do {
            list = try await CollectionList(reading: collection.list, of: collection.epoch) { [backend] id in
                try ChunkFrame.decode(try await backend.getChunk(id, in: container), expecting: id)
            }
        } catch let error as CloudError where error.code != .notFound && error.code != .damaged {
            throw error
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            log.error(
                "the list of a collection cannot be read, so chunks are sent again",
                metadata: ["container": "\(container)", "epoch": "\(collection.epoch)", "why": "\(error)"])
            return false
        }
        for start in stride(from: 0, to: list.keys.count, by: Self.transactionKeys) {
            let part = list.keys[start..<min(start + Self.transactionKeys, list.keys.count)]
            try await pool.run { [metadata] () throws(any Error) in
                try metadata.write(.uploading) {
                    try $0.collections.add(part.lazy.map { ($0.id, $0.epoch) }, to: collection.epoch, in: id)
                }
            }
        }
        try await pool.run { [metadata] () throws(any Error) in
            try metadata.write(.uploading) { try $0.collections.markRead(collection.epoch, in: id) }
        }
        return true
    }
}
