package import CloudModel
package import CloudStorage
import Synchronization

/// A cloud in this process's memory. Calls can be held, failed and counted through ``gate``; stored bytes can be damaged and counted here.
package final class InMemoryBackend: ChangeNotifying, ChunkCollecting {
    private struct State {
        var logs: [ContainerName: MemoryLog] = [:]
        /// Frames by chunk and by the epoch of their key.
        var chunks: [ContainerName: [ChunkID: [UInt64: [UInt8]]]] = [:]
        var listeners: [UInt64: AsyncStream<CloudEvent>.Continuation] = [:]
        var nextListener: UInt64 = 0
        var bytesPut = 0
        var bytesGot = 0
    }

    package let gate = Gate()
    private let identity: Mutex<CloudIdentity>
    private let state = Mutex(State())

    package init(identity: String = "memory") {
        self.identity = Mutex(CloudIdentity(identity))
    }

    package func connect(create: Bool) async throws -> CloudIdentity {
        try await gate.pass(.connect)
        return identity.withLock { $0 }
    }

    /// Gives the cloud a different identity, as if a different cloud lay at this address.
    package func rename(to identity: String) { self.identity.withLock { $0 = CloudIdentity(identity) } }

    /// Returns a copy of the logs and chunks, for ``putBack(_:)``.
    package func copy() -> Copy { state.withLock { Copy(logs: $0.logs, chunks: $0.chunks) } }

    /// Replaces the logs and chunks by a copy, as when a backup of the cloud is restored.
    package func putBack(_ copy: Copy) { state.withLock { ($0.logs, $0.chunks) = (copy.logs, copy.chunks) } }

    package struct Copy: Sendable {
        fileprivate let logs: [ContainerName: MemoryLog]
        fileprivate let chunks: [ContainerName: [ChunkID: [UInt64: [UInt8]]]]
    }

    package func containers() async throws -> [ContainerName] {
        try await gate.pass(.containers)
        return state.withLock { Array($0.logs.keys) }
    }

    package func createContainer(_ name: ContainerName) async throws {
        try await gate.pass(.createContainer)
        let isNew = state.withLock { state in
            guard state.logs[name] == nil else { return false }
            state.logs[name] = MemoryLog()
            return true
        }
        if isNew { send(.containersChanged) }
    }

    package func append(
        _ payload: [UInt8], to container: ContainerName, after position: LogPosition
    ) async throws -> LogSequence {
        try await gate.pass(.append)
        let sequence = try state.withLock { state in
            guard var log = state.logs[container] else { throw absent(container) }
            _ = try log.entries(after: position, of: container)
            log.append(payload)
            state.logs[container] = log
            return log.end.sequence
        }
        send(.containerChanged(container))
        return sequence
    }

    package func entries(
        in container: ContainerName, after position: LogPosition, limit: Int
    ) async throws -> [LogRecord] {
        try await gate.pass(.entries)
        return try state.withLock { state in
            guard let log = state.logs[container] else { throw absent(container) }
            return Array(try log.entries(after: position, of: container).prefix(limit))
        }
    }

    package func missing(_ chunks: [ChunkID], in container: ContainerName) async throws -> Set<ChunkID> {
        try await gate.pass(.missing)
        return state.withLock { state in Set(chunks.filter { state.chunks[container]?[$0]?[0] == nil }) }
    }

    package func putChunk(_ chunk: OutgoingChunk, in container: ContainerName) async throws {
        try await putChunk(chunk, epoch: 0, in: container)
    }

    package func putChunk(_ chunk: OutgoingChunk, epoch: UInt64, in container: ContainerName) async throws {
        try await gate.pass(.putChunk, chunk.id)
        state.withLock { state in
            state.bytesPut += chunk.frame.count
            if state.chunks[container]?[chunk.id]?[epoch] == nil {
                state.chunks[container, default: [:]][chunk.id, default: [:]][epoch] = chunk.frame
            }
        }
    }

    package func distrust(_ chunks: Set<ChunkID>, in container: ContainerName) async throws {
        state.withLock { state in for id in chunks { state.chunks[container]?[id] = nil } }
    }

    package func getChunk(_ id: ChunkID, in container: ContainerName) async throws -> [UInt8] {
        try await gate.pass(.getChunk, id)
        return try state.withLock { state in
            guard let frame = state.chunks[container]?[id]?.values.first else {
                throw CloudError(.notFound, "No chunk \(id).")
            }
            state.bytesGot += frame.count
            return frame
        }
    }

    package func present(_ keys: [ChunkKey], in container: ContainerName) async throws -> Set<ChunkKey> {
        try await gate.pass(.missing)
        return state.withLock { state in Set(keys.filter { state.chunks[container]?[$0.id]?[$0.epoch] != nil }) }
    }

    package func storedChunks(
        in container: ContainerName, after key: ChunkKey?, limit: Int
    ) async throws -> [StoredChunk] {
        let all = state.withLock { $0.chunks[container, default: [:]] }.flatMap { id, frames in
            frames.map { StoredChunk(key: ChunkKey(id, epoch: $0), bytes: UInt64($1.count)) }
        }
        let later = all.filter { chunk in key.map { $0 < chunk.key } ?? true }
        return Array(later.sorted { $0.key < $1.key }.prefix(limit))
    }

    package func remove(_ keys: [ChunkKey], in container: ContainerName) async throws {
        state.withLock { state in
            for key in keys {
                state.chunks[container]?[key.id]?[key.epoch] = nil
                if state.chunks[container]?[key.id]?.isEmpty == true { state.chunks[container]?[key.id] = nil }
            }
        }
    }

    package func events() -> AsyncStream<CloudEvent> {
        let (stream, continuation) = AsyncStream.makeStream(of: CloudEvent.self, bufferingPolicy: .bufferingNewest(64))
        let id = state.withLock { state in
            state.nextListener += 1
            state.listeners[state.nextListener] = continuation
            return state.nextListener
        }
        continuation.onTermination = { [weak self] _ in self?.forget(id) }
        return stream
    }

    package func space() async throws -> CloudSpace? {
        try await gate.pass(.space)
        return nil
    }

    /// Sends an event to all listeners, like a remote change or a return of the network.
    package func send(_ event: CloudEvent) {
        let listeners = state.withLock { Array($0.listeners.values) }
        for listener in listeners { listener.yield(event) }
    }

    /// Replaces a chunk's stored frame, for tests of damage; nil removes it.
    package func replaceChunk(_ id: ChunkID, in container: ContainerName, with frame: [UInt8]?) {
        state.withLock { $0.chunks[container, default: [:]][id] = frame.map { [0: $0] } }
    }

    /// Returns a chunk's stored frame, without a counted call.
    package func storedChunk(_ id: ChunkID, in container: ContainerName) -> [UInt8]? {
        state.withLock { $0.chunks[container]?[id]?.values.first }
    }

    package func storedChunks(in container: ContainerName) -> Set<ChunkID> {
        state.withLock { Set($0.chunks[container, default: [:]].keys) }
    }

    package var bytesPut: Int { state.withLock { $0.bytesPut } }
    package var bytesGot: Int { state.withLock { $0.bytesGot } }

    private func forget(_ listener: UInt64) { _ = state.withLock { $0.listeners.removeValue(forKey: listener) } }

    private func absent(_ container: ContainerName) -> CloudError {
        CloudError(.notFound, "No container \(container).")
    }
}
