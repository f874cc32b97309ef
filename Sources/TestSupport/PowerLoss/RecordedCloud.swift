import Basics
import CloudModel
import CloudStorage
import Foundation
import TestSupport

/// A cloud in memory that records each change before it is visible to clients, so its state at any moment can be
/// rebuilt.
struct RecordedCloud: CloudDecorator {
    let base: any CloudBackend
    private let record: WorkRecord?

    /// Rebuilds a cloud from its changes. Without a record it records no further changes.
    init(_ changes: [CloudChange], record: WorkRecord?) async throws {
        base = InMemoryBackend()
        self.record = record
        for change in changes {
            switch change {
            case .container(let name): if let name = ContainerName(name) { try await base.createContainer(name) }
            case .chunk(let id, let frame, let name):
                guard let name = ContainerName(name) else { continue }
                if let id = ChunkID(id) { try await base.putChunk(id, frame: Array(frame), in: name) }
            case .entry(let payload, let name):
                guard let name = ContainerName(name) else { continue }
                _ = try await base.append(Array(payload), to: name)
            }
        }
    }

    /// The changes are those of a cloud without collecting devices.
    func facet<Facet>(_ type: Facet.Type) -> Facet? { type == (any ChangeNotifying).self ? self as? Facet : nil }

    func createContainer(_ name: ContainerName) async throws {
        if try await !base.containers().contains(name) { try record?.note(.cloud(.container(name.description))) }
        try await base.createContainer(name)
    }

    func append(
        _ payload: [UInt8], to container: ContainerName, after position: LogPosition
    ) async throws -> LogSequence {
        try record?.note(.cloud(.entry(Data(payload), container.description)))
        return try await base.append(payload, to: container, after: position)
    }

    func putChunk(_ chunk: OutgoingChunk, in container: ContainerName) async throws {
        try record?.note(.cloud(.chunk(chunk.id.bytes, Data(chunk.frame), container.description)))
        try await base.putChunk(chunk, in: container)
    }
}
