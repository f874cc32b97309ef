import Chunking
import CloudModel
import CloudStorage
import ContainerLog
import Sync

/// Chooses the keys of copied chunks, by the garbage collections proposed in the copied entries.
///
/// The target's log gets the same collections, and a device may continue an open collection there at any time. So a
/// chunk counts as stored only under a key that none of them may remove; otherwise it is put under such a key, as by an
/// appending device (docs/LOG.md, "Collection").
struct CopiedKeys {
    /// The number of lists consulted. Keys possibly listed by older ones are not relied on.
    private static let maximumLists = 64
    private static let queryChunks = 512

    private let source: any CloudBackend
    private let target: any CloudBackend
    private let container: ContainerName
    /// The newest proposed epoch of the entries so far.
    private(set) var epoch: UInt64 = 0
    /// The lists of the newest proposals, by epoch.
    private var contents: [UInt64: ContentReference] = [:]
    private var lists: [UInt64: CollectionList] = [:]
    /// The newest epoch without a consulted list; 0 if all are consulted.
    private var unread: UInt64 = 0

    init(from source: any CloudBackend, to target: any CloudBackend, _ container: ContainerName) {
        self.source = source
        self.target = target
        self.container = container
    }

    /// Notes the collections proposed by an entry. A proposal made void by the log's rules may count here, at the cost
    /// of no more than a repeated put.
    mutating func note(_ batch: ChangeBatch) {
        for case .collection(.proposed(let proposed, let list)) in batch.changes where proposed == epoch &+ 1 {
            epoch = proposed
            contents[proposed] = list
            if contents.count > Self.maximumLists { drop(upTo: proposed - UInt64(Self.maximumLists)) }
        }
    }

    /// Returns the chunks for which the target has no lasting key.
    mutating func missing(_ chunks: [ChunkID]) async throws -> Set<ChunkID> {
        guard epoch > 0, let target = target.facet((any ChunkCollecting).self) else {
            return try await target.missing(chunks, in: container)
        }
        var missing = Set(chunks)
        for start in stride(from: 0, to: chunks.count, by: Self.queryChunks) {
            let part = chunks[start..<min(start + Self.queryChunks, chunks.count)]
            let safety = KeySafety(epoch: epoch, unread: unread)
            let present = try await target.present(part.flatMap(safety.candidates), in: container)
            // No list has keys of the newest epoch.
            if present.contains(where: { $0.epoch < epoch }) { try await readLists() }
            for key in present where isSafe(key) { missing.remove(key.id) }
        }
        return missing
    }

    func put(_ chunk: OutgoingChunk) async throws {
        if epoch > 0, let target = target.facet((any ChunkCollecting).self) {
            try await target.putChunk(chunk, epoch: epoch, in: container)
        } else {
            try await target.putChunk(chunk, in: container)
        }
    }

    private func isSafe(_ key: ChunkKey) -> Bool {
        let isListed = lists.values.contains { $0.contains(key) }
        return KeySafety(epoch: epoch, unread: unread).isSafe(key, listed: isListed ? [key.epoch] : [])
    }

    // MARK: Lists

    /// Reads the unread lists, the newest first.
    private mutating func readLists() async throws {
        for epoch in contents.keys.sorted(by: >) where epoch > unread && lists[epoch] == nil {
            guard let list = try await list(of: epoch) else { return drop(upTo: epoch) }
            lists[epoch] = list
        }
        // Bounds the memory.
        var keys = 0
        for epoch in lists.keys.sorted(by: >) {
            keys += lists[epoch]?.keys.count ?? 0
            if keys > CollectionList.maximumKeys { return drop(upTo: epoch) }
        }
    }

    private mutating func drop(upTo epoch: UInt64) {
        unread = max(unread, epoch)
        contents = contents.filter { $0.key > unread }
        lists = lists.filter { $0.key > unread }
    }

    /// Returns nil for a list missing from the source or without meaning.
    private func list(of epoch: UInt64) async throws -> CollectionList? {
        guard let content = contents[epoch] else { return nil }
        do {
            return try await CollectionList(reading: content, of: epoch) { id in
                try ChunkFrame.decode(try await source.getChunk(id, in: container), expecting: id)
            }
        } catch let error as CloudError where error.code != .notFound && error.code != .damaged {
            throw error
        } catch is CancellationError {
            throw CancellationError()
        } catch { return nil }
    }
}
