import Synchronization

@testable import ServerStorage

/// A store of frames in which a test runs something between two steps of an operation, once.
final class PausedObjects: ChunkObjects {
    private let base: any ChunkObjects
    private let afterWrite = Mutex<(@Sendable () async throws -> Void)?>(nil)
    private let beforeRemoval = Mutex<(@Sendable () async throws -> Void)?>(nil)

    init(
        _ base: any ChunkObjects, afterWrite: (@Sendable () async throws -> Void)? = nil,
        beforeRemoval: (@Sendable () async throws -> Void)? = nil
    ) {
        self.base = base
        self.afterWrite.withLock { $0 = afterWrite }
        self.beforeRemoval.withLock { $0 = beforeRemoval }
    }

    func write(_ chunks: [(place: ChunkPlace, frame: [UInt8])]) async throws {
        try await base.write(chunks)
        try await afterWrite.withLock { $0.take() }?()
    }

    func remove(_ names: [String], in database: any StorageDatabase) async throws -> Int {
        try await beforeRemoval.withLock { $0.take() }?()
        return try await base.remove(names, in: database)
    }

    var isLocal: Bool { base.isLocal }

    func epoch(_ db: any StorageTransaction) throws -> Int64? { try base.epoch(db) }
    func stays(_ place: ChunkPlace, in epoch: Int64?) -> Bool { base.stays(place, in: epoch) }
    func read(_ place: ChunkPlace, _ range: Range<Int>) async throws -> [UInt8]? { try await base.read(place, range) }
    func heads(of places: [ChunkPlace], _ length: Int) async throws -> [[UInt8]] {
        try await base.heads(of: places, length)
    }
    func link(to place: ChunkPlace, for lifetime: Duration) async throws -> String? {
        try await base.link(to: place, for: lifetime)
    }
    func exists(_ place: ChunkPlace) async throws -> Bool { try await base.exists(place) }
    func beginSweep() async throws -> Int64 { try await base.beginSweep() }
    func forEachName(
        in containers: [Int64], settledBefore mark: Int64?, _ visit: ([String]) async throws -> Bool
    ) async throws { try await base.forEachName(in: containers, settledBefore: mark, visit) }
    func removeAll(of container: Int64) async throws { try await base.removeAll(of: container) }
    func keep(generation: Int64) async throws -> Int64 { try await base.keep(generation: generation) }
    func generation() async throws -> Int64? { try await base.generation() }
    func freeBytes() async throws -> UInt64? { try await base.freeBytes() }
}
