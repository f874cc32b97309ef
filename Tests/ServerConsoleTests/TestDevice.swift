import Basics
import Chunking
import CloudModel
import CloudStorage
import ContainerLog
import HTTPCloud
import Synchronization
import TestSupport

/// A device from the server's point of view: it uploads chunks, appends batches and folds the log, all through the real
/// backend.
final class TestDevice: Sendable {
    let name: String
    let token: String
    /// The device's number in the server's list.
    let number: Int64
    let backend: HTTPBackend
    private let id: DeviceID
    private let batches = Mutex<UInt64>(0)
    private let tree = Mutex(DictionaryTree())

    init(name: String, token: String, number: Int64, backend: HTTPBackend) {
        self.name = name
        self.token = token
        self.number = number
        self.backend = backend
        var random = SystemRandomNumberGenerator()
        id = DeviceID.random(using: &random)
    }

    func append(_ changes: Change..., at time: Timestamp = SystemTime().now()) async throws {
        try await append(changes, at: time)
    }

    func append(_ changes: [Change], at time: Timestamp = SystemTime().now()) async throws {
        let number = batches.withLock { count in
            count += 1
            return count
        }
        let batch = ChangeBatch(device: id, deviceName: name, deviceSequence: number, time: time, changes: changes)
        _ = try await backend.append(batch.encoded(), to: .cloudDocs)
    }

    /// Uploads the bytes to the cloud in chunks, as a device does.
    func upload(_ bytes: [UInt8]) async throws -> ContentReference {
        let length = 256 << 10
        var entries: [ChunkEntry] = []
        for start in stride(from: 0, to: bytes.count, by: length) {
            let part = Array(bytes[start..<min(start + length, bytes.count)])
            let id = Digest.of(part)
            entries.append(ChunkEntry(id: id, length: part.count))
            try await backend.putChunk(id, frame: ChunkFrame.encode(part), in: .cloudDocs)
        }
        let manifest = Manifest(entries)
        if manifest.reference.layout == .manifest {
            let encoded = manifest.encoded()
            try await backend.putChunk(.of(encoded), frame: ChunkFrame.encode(encoded), in: .cloudDocs)
        }
        return manifest.reference
    }

    @discardableResult
    func write(
        _ name: String, _ text: String, in folder: ItemID = .documents, modified: Timestamp = SystemTime().now()
    ) async throws -> ItemID {
        try await write(ItemName(name), Array(text.utf8), in: folder, modified: modified)
    }

    func write(
        _ name: ItemName, _ bytes: [UInt8], in folder: ItemID = .documents, modified: Timestamp = SystemTime().now()
    ) async throws -> ItemID {
        let item = ItemID.random()
        try await append(
            .create(
                item, parent: folder, name: name, attributes: attributes(modified),
                body: .file(.stored(try await upload(bytes)))))
        return item
    }

    func makeFolder(_ name: String, in folder: ItemID = .documents) async throws -> ItemID {
        let item = ItemID.random()
        let now = SystemTime().now()
        try await append(
            .create(item, parent: folder, name: try ItemName(name), attributes: attributes(now), body: .folder))
        return item
    }

    /// Appends an edit based on the content `base`. If `base` is nil, the edit is based on no content, as if the device
    /// knew none.
    func edit(
        _ item: ItemID, _ text: String, base: ContentReference?, modified: Timestamp = SystemTime().now()
    ) async throws {
        let content = try await upload(Array(text.utf8))
        try await append(.edit(item, base: base?.digest, content: .stored(content), modified: modified))
    }

    private func attributes(_ modified: Timestamp) -> ItemAttributes {
        ItemAttributes(permissions: 0o644, modified: modified, created: modified)
    }

    /// Returns the item as the log has it now, or nil if the item is absent or a tombstone.
    func item(_ id: ItemID) async throws -> CloudItem? {
        try await follow()
        return tree.withLock { $0.item(id) }.flatMap { $0.isDeleted ? nil : $0 }
    }

    func names(in folder: ItemID = .documents) async throws -> [String] {
        try await follow()
        return tree.withLock { tree in
            tree.children(of: folder).compactMap { tree.item($0)?.name.description }.sorted()
        }
    }

    func children(of folder: ItemID) async throws -> [ItemID] {
        try await follow()
        return tree.withLock { $0.children(of: folder) }
    }

    private func follow() async throws {
        while true {
            let sequence = tree.withLock { $0.state().sequence }
            let records = try await backend.entries(in: .cloudDocs, after: sequence, limit: 1_000)
            guard !records.isEmpty else { return }
            try tree.withLock { tree in
                for record in records {
                    _ = try ContainerReducer().fold(
                        ChangeBatch(decoding: record.payload), at: record.sequence, into: &tree)
                }
            }
        }
    }

    /// Downloads the chunks of a content and returns its bytes.
    func bytes(of content: ContentReference) async throws -> [UInt8] {
        let manifest: Manifest
        if let known = Manifest(within: content) {
            manifest = known
        } else {
            let frame = try await backend.getChunk(content.digest, in: .cloudDocs)
            manifest = try Manifest(decoding: ChunkFrame.decode(frame, expecting: content.digest), size: content.size)
        }
        var bytes: [UInt8] = []
        for chunk in manifest.chunks {
            let frame = try await backend.getChunk(chunk.id, in: .cloudDocs)
            bytes += try ChunkFrame.decode(frame, expecting: chunk.id)
        }
        return bytes
    }
}
