import Basics
import CloudModel
import S3Client
import Synchronization

/// The frames of chunks as objects of a bucket: `PREFIX/chunks/CONTAINER/AB/CDEF…-SIZE.EPOCH-RANDOM`. Any number of
/// processes use it at a time.
///
/// Invariants (decision 53):
/// - A name is put once. So a delayed or repeated request only affects an object that only its own put can give a row.
///   An object may be deleted as soon as no row refers to it and none can.
/// - Each sweep for objects without a row begins a new **epoch**, a number in the database. A put takes the epoch at
///   its beginning into the names of its objects, and its rows are refused if more than one sweep has begun since; then
///   it writes its objects again, under new names. So a sweep may delete objects of earlier epochs than the last,
///   regardless of clocks and of how long a process was suspended.
/// - A bucket and prefix belong to one database; see ``requireOwner()``. A sweep for a different database would delete
///   everything.
final class ChunkBucket: ChunkObjects {
    let client: S3Client
    let database: any StorageDatabase
    let root: String
    /// Whether the bucket was found to belong to the database.
    let isOurs = Mutex(false)

    init(_ client: S3Client, _ database: any StorageDatabase) {
        self.client = client
        self.database = database
        root = client.location.prefix.isEmpty ? "" : "\(client.location.prefix)/"
    }

    var isLocal: Bool { false }

    func key(of place: ChunkPlace) -> String { "\(root)chunks/\(place.name)" }

    func write(_ chunks: [(place: ChunkPlace, frame: [UInt8])]) async throws {
        try await requireOwner()
        try await translating {
            _ = try await concurrently(chunks) { try await self.client.put(self.key(of: $0.place), $0.frame) }
        }
    }

    func read(_ place: ChunkPlace, _ range: Range<Int>) async throws -> [UInt8]? {
        guard range.upperBound <= place.size else { throw Self.damaged(place) }
        guard !range.isEmpty else { return [] }
        try await requireOwner()
        return try await translating { try await self.get(place, range) }
    }

    private func get(_ place: ChunkPlace, _ range: Range<Int>) async throws -> [UInt8]? {
        let isWhole = range == 0..<place.size
        let part = UInt64(range.lowerBound)..<UInt64(range.upperBound)
        do {
            let reading = try await client.get(key(of: place), range: isWhole ? nil : part, limit: range.count)
            guard case .object(let object) = reading else { return nil }
            guard object.bytes.count == range.count else { throw Self.damaged(place) }
            return object.bytes
        } catch let error as S3Error where error.code == .tooLong || error.code == .noRange {
            throw Self.damaged(place)
        }
    }

    func link(to place: ChunkPlace, for lifetime: Duration) async throws -> String? {
        try await requireOwner()
        return try await translating { try self.client.link(to: self.key(of: place), for: lifetime) }
    }

    func heads(of places: [ChunkPlace], _ length: Int) async throws -> [[UInt8]] {
        try await concurrently(places) { place in
            do { return try await self.read(place, 0..<min(place.size, length)) ?? [] } catch let error as StorageError
            {
                guard error.code == .damaged else { throw error }
                return []
            }
        }
    }

    func exists(_ place: ChunkPlace) async throws -> Bool {
        try await requireOwner()
        return try await translating { try await self.client.size(self.key(of: place)) == UInt64(place.size) }
    }

    private static func damaged(_ place: ChunkPlace) -> StorageError {
        StorageError(
            .damaged, "The object of chunk \(place.id) is damaged. Devices that have the chunk will upload it again.")
    }

    private var healthKey: String { "\(root)health" }

    func keep(generation: Int64) async throws -> Int64 {
        try await requireOwner()
        try await translating { try await self.client.put(self.healthKey, GenerationText.bytes(of: generation)) }
        guard let found = try await self.generation() else {
            throw StorageError(.failed, "The server's bucket does not return what was written.")
        }
        return found
    }

    func generation() async throws -> Int64? {
        try await requireOwner()
        return try await translating {
            let reading = try await self.client.get(self.healthKey, limit: GenerationText.limit)
            guard case .object(let object) = reading else { return nil }
            return GenerationText.generation(in: object.bytes)
        }
    }

    func freeBytes() async throws -> UInt64? { nil }

    /// Runs requests, and converts their errors.
    func translating<T>(_ body: () async throws -> T) async throws -> T {
        do { return try await body() } catch let error as S3Error { throw StorageError(ofBucket: error) }
    }
}

extension StorageError {
    /// The message is read by devices: it does not name the bucket, but the cause does.
    init(ofBucket error: S3Error) {
        switch error.code {
        case .throttled, .conflict:
            self.init(.busy, "The server's bucket asks for fewer requests; try again soon.", cause: error)
        case .full:
            self.init(.full, "The bucket of the server is full. Its owner has to free some space.", cause: error)
        case .unavailable:
            self.init(.failed, "The server cannot reach its bucket; try again.", cause: error)
        default:
            self.init(.failed, "The server cannot use its bucket; its log says why.", cause: error)
        }
    }
}
