import Basics
import CloudModel
import CloudStorage
import Foundation
import TestSupport

/// A cloud in memory that records each change before any client sees it, so that its state at any moment can be rebuilt.
struct RecordedCloud: ChangeNotifying {
    private let cloud: InMemoryBackend
    private let record: WorkRecord?

    /// Rebuilds a cloud from its changes. Without a record it records no further changes.
    init(_ changes: [CloudChange], record: WorkRecord?) async throws {
        cloud = InMemoryBackend()
        self.record = record
        for change in changes {
            switch change {
            case .container(let name): if let name = ContainerName(name) { try await cloud.createContainer(name) }
            case .chunk(let id, let frame, let name):
                guard let name = ContainerName(name) else { continue }
                if let id = ChunkID(id) { try await cloud.putChunk(id, frame: Array(frame), in: name) }
            case .entry(let payload, let name):
                guard let name = ContainerName(name) else { continue }
                _ = try await cloud.append(Array(payload), to: name)
            }
        }
    }

    func connect(create: Bool) async throws -> CloudIdentity { try await cloud.connect(create: create) }
    func containers() async throws -> [ContainerName] { try await cloud.containers() }

    func createContainer(_ name: ContainerName) async throws {
        if try await !cloud.containers().contains(name) { try record?.note(.cloud(.container(name.description))) }
        try await cloud.createContainer(name)
    }

    func append(
        _ payload: [UInt8], to container: ContainerName, after position: LogPosition
    ) async throws -> LogSequence {
        try record?.note(.cloud(.entry(Data(payload), container.description)))
        return try await cloud.append(payload, to: container, after: position)
    }

    func entries(in container: ContainerName, after position: LogPosition, limit: Int) async throws -> [LogRecord] {
        try await cloud.entries(in: container, after: position, limit: limit)
    }

    func missing(_ chunks: [ChunkID], in container: ContainerName) async throws -> Set<ChunkID> {
        try await cloud.missing(chunks, in: container)
    }

    func putChunk(_ chunk: OutgoingChunk, in container: ContainerName) async throws {
        try record?.note(.cloud(.chunk(chunk.id.bytes, Data(chunk.frame), container.description)))
        try await cloud.putChunk(chunk, in: container)
    }

    func distrust(_ chunks: Set<ChunkID>, in container: ContainerName) async throws {
        try await cloud.distrust(chunks, in: container)
    }

    func getChunk(_ id: ChunkID, in container: ContainerName) async throws -> [UInt8] {
        try await cloud.getChunk(id, in: container)
    }

    func events() -> AsyncStream<CloudEvent> { cloud.events() }
    func space() async throws -> CloudSpace? { try await cloud.space() }
}
