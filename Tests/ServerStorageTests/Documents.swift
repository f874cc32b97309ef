import Basics
import Chunking
import CloudModel
import CloudProtocol
import ContainerLog
import ServerSupport
import TestSupport

@testable import ServerStorage

/// A device that writes documents to a server's storage, and folds the same log for comparison.
struct Documents {
    let store: ServerStore
    let account: AccountID
    private(set) var tree = DictionaryTree()
    private(set) var sequence: UInt64 = 0
    private var random: SeededGenerator

    init(_ store: ServerStore, _ account: AccountID, seed: UInt64) {
        self.store = store
        self.account = account
        random = SeededGenerator(seed: seed)
    }

    /// Returns a random content of one or more chunks, and its parts to put.
    mutating func content(chunks: Int) -> (reference: ContentReference, parts: [ChunkBatch.Part]) {
        let pieces = (0..<chunks).map { _ in random.bytes(random.number(20..<60)) }
        let manifest = Manifest(pieces.map { ChunkEntry(id: Digest.of($0), length: $0.count) })
        var parts = pieces.map { ChunkBatch.Part(id: Digest.of($0), frame: ChunkFrame.encode($0)) }
        if manifest.reference.layout == .manifest {
            parts.append(
                ChunkBatch.Part(id: manifest.reference.digest, frame: ChunkFrame.encode(manifest.encoded())))
        }
        return (manifest.reference, parts)
    }

    func put(_ parts: [ChunkBatch.Part]) async throws { try await store.chunks.put(parts, in: .cloudDocs, of: account) }

    mutating func append(_ changes: [Change], device: UInt64 = 1) async throws {
        sequence += 1
        let batch = ChangeBatch(
            device: DeviceID(device), deviceName: "d\(device)", deviceSequence: sequence,
            time: Timestamp(seconds: 1_800_000_000 + Int64(sequence)), changes: changes)
        let place = try await store.logs.append(try batch.encoded(), key: nil, to: .cloudDocs, of: account)
        _ = try ContainerReducer().fold(batch, at: place, into: &tree)
    }

    mutating func create(_ content: ContentReference, device: UInt64 = 1) async throws -> ItemID {
        let id = ItemID.random(using: &random)
        let name = try ItemName("\(id)")
        let attributes = ItemAttributes(permissions: 0o644, modified: .zero, created: .zero)
        try await append(
            [.create(id, parent: .documents, name: name, attributes: attributes, body: .file(.stored(content)))],
            device: device)
        return id
    }

    /// All contents currently needed by the documents and their conflicts.
    var needed: Set<ContentReference> { tree.allItems.reduce(into: []) { $0.formUnion($1.neededContents) } }
}

extension ServerStore {
    func collectNow(_ policy: CollectionPolicy = .standard) async throws -> CollectionReport {
        try await collectWithoutLock(policy, pause: .zero)
    }

    /// Whether every byte of these parts can be read.
    func holds(_ parts: [ChunkBatch.Part], of account: AccountID) async throws -> Bool {
        for part in parts {
            guard let place = try await chunks.place(of: part.id, in: .cloudDocs, of: account),
                try await chunks.read(place, 0..<place.size) == part.frame
            else { return false }
        }
        return true
    }
}
