import CloudModel
import CloudStorage
import Synchronization

/// A cloud whose device dies at one of its calls: that call and all later ones fail.
final class DyingCloud: ChunkCollecting {
    struct Death: Error {}

    private let cloud: any ChunkCollecting
    /// How many calls are left; nil for any number.
    private let left = Mutex<Int?>(nil)
    /// Whether the last call still takes effect in the cloud, although its result is lost.
    private let isLate: Bool

    init(_ cloud: any ChunkCollecting, isLate: Bool = false) {
        self.cloud = cloud
        self.isLate = isLate
    }

    /// Lets the device die at this call from now on.
    func die(at call: Int) { left.withLock { $0 = call } }

    private func call<T>(_ body: () async throws -> T) async throws -> T {
        let rest = left.withLock { left in
            left = left.map { max(-1, $0 - 1) }
            return left
        }
        guard let rest, rest <= 0 else { return try await body() }
        if rest == 0, isLate { _ = try await body() }
        throw Death()
    }

    func connect(create: Bool) async throws -> CloudIdentity {
        try await call { try await cloud.connect(create: create) }
    }
    func containers() async throws -> [ContainerName] { try await call { try await cloud.containers() } }
    func createContainer(_ name: ContainerName) async throws {
        try await call { try await cloud.createContainer(name) }
    }
    func append(
        _ payload: [UInt8], to container: ContainerName, after position: LogPosition
    ) async throws -> LogSequence {
        try await call { try await cloud.append(payload, to: container, after: position) }
    }
    func entries(in container: ContainerName, after position: LogPosition, limit: Int) async throws -> [LogRecord] {
        try await call { try await cloud.entries(in: container, after: position, limit: limit) }
    }
    func missing(_ chunks: [ChunkID], in container: ContainerName) async throws -> Set<ChunkID> {
        try await call { try await cloud.missing(chunks, in: container) }
    }
    func putChunk(_ chunk: OutgoingChunk, in container: ContainerName) async throws {
        try await call { try await cloud.putChunk(chunk, in: container) }
    }
    func distrust(_ chunks: Set<ChunkID>, in container: ContainerName) async throws {
        try await call { try await cloud.distrust(chunks, in: container) }
    }
    func getChunk(_ id: ChunkID, in container: ContainerName) async throws -> [UInt8] {
        try await call { try await cloud.getChunk(id, in: container) }
    }
    func space() async throws -> CloudSpace? { try await call { try await cloud.space() } }
    func present(_ keys: [ChunkKey], in container: ContainerName) async throws -> Set<ChunkKey> {
        try await call { try await cloud.present(keys, in: container) }
    }
    func putChunk(_ chunk: OutgoingChunk, epoch: UInt64, in container: ContainerName) async throws {
        try await call { try await cloud.putChunk(chunk, epoch: epoch, in: container) }
    }
    func storedChunks(in container: ContainerName, after key: ChunkKey?, limit: Int) async throws -> [StoredChunk] {
        try await call { try await cloud.storedChunks(in: container, after: key, limit: limit) }
    }
    func remove(_ keys: [ChunkKey], in container: ContainerName) async throws {
        try await call { try await cloud.remove(keys, in: container) }
    }
}
