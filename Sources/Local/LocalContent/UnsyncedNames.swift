/// Names of blobs that may not survive a power failure, because the folder was not synced after their creation.
/// Bounded: many pending names are noted as whole shards.
struct UnsyncedNames {
    private static let limit = 4_096
    private var names: Set<BlobName> = []
    /// Shards with possibly new names, and when that was noted.
    private var shards: [String: UInt64]
    private var drops: UInt64 = 0

    /// - Parameter shards: Those an earlier process may not have synced.
    init(_ shards: some Sequence<String>) {
        self.shards = Dictionary(shards.map { ($0, 0) }, uniquingKeysWith: { first, _ in first })
    }

    func contains(_ blob: BlobName) -> Bool {
        names.contains(blob) || !shards.isEmpty && shards[ContentShards.name(of: blob)] != nil
    }

    mutating func insert(_ blob: BlobName) {
        if names.count >= Self.limit {
            drops += 1
            for name in names { shards[ContentShards.name(of: name)] = drops }
            names = []
        }
        names.insert(blob)
    }

    mutating func remove(_ blob: BlobName) { names.remove(blob) }

    /// The coverage of the next sync of the blob's folder.
    func mark(_ blob: BlobName) -> UInt64? { shards[ContentShards.name(of: blob)] }

    /// Notes that the folder was synced. Names dropped after `mark` was taken may not be covered.
    mutating func synced(_ blob: BlobName, _ mark: UInt64?) {
        names.remove(blob)
        let shard = ContentShards.name(of: blob)
        if shards[shard] == mark { shards[shard] = nil }
    }
}
