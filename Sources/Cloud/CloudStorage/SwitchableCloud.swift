package import CloudModel
package import Logging
import Synchronization

/// A cloud that a user can switch off for a device: then every operation fails with `offline` at once, those under way are cancelled, and no
/// connection stays open for events.
///
/// The switch is between the engine and the cloud, so that to the rest of the program a device that was taken offline is like one without a
/// network.
package final class SwitchableCloud: Sendable {
    private struct State {
        var isOffline: Bool
        var cancellations: [UInt64: @Sendable () -> Void] = [:]
        var listeners: [UInt64: AsyncStream<Bool>.Continuation] = [:]
        var nextNumber: UInt64 = 0

        mutating func number() -> UInt64 {
            nextNumber += 1
            return nextNumber
        }
    }

    private let cloud: any CloudBackend
    private let log: Logger
    private let state: Mutex<State>

    /// - Parameter log: Gets a line at trace for each operation.
    package init(_ cloud: any CloudBackend, isOffline: Bool = false, log: Logger) {
        self.cloud = cloud
        self.log = log
        state = Mutex(State(isOffline: isOffline))
    }

    package var isOffline: Bool { state.withLock { $0.isOffline } }

    /// Switches the cloud off or on. Returns when no operation begins any more; those under way are being cancelled then.
    package func setOffline(_ isOffline: Bool) {
        let (cancellations, listeners) = state.withLock { state in
            guard state.isOffline != isOffline else {
                return ([@Sendable () -> Void](), [AsyncStream<Bool>.Continuation]())
            }
            state.isOffline = isOffline
            return (isOffline ? Array(state.cancellations.values) : [], Array(state.listeners.values))
        }
        for cancel in cancellations { cancel() }
        for listener in listeners { listener.yield(isOffline) }
    }

    /// The error of every operation while the cloud is switched off.
    package static var refusal: CloudError {
        CloudError(.offline, "This device was taken offline. Run `ubiquity online` to sync again.")
    }

    private func travel<T: Sendable>(
        _ name: String = #function, _ operation: @escaping @Sendable () async throws -> T
    ) async throws -> T {
        guard log.logLevel <= .trace else { return try await switchable(operation) }
        let start = ContinuousClock.now
        var outcome = "cancelled"
        defer {
            log.trace(
                "request", metadata: ["of": "\(name)", "took": "\(start.duration(to: .now))", "outcome": "\(outcome)"])
        }
        do {
            let value = try await switchable(operation)
            outcome = "done"
            return value
        } catch {
            outcome = "\(error)"
            throw error
        }
    }

    private func switchable<T: Sendable>(_ operation: @escaping @Sendable () async throws -> T) async throws -> T {
        let task = try state.withLock { state -> (number: UInt64, task: Task<T, any Error>) in
            guard !state.isOffline else { throw Self.refusal }
            let task = Task { try await operation() }
            let number = state.number()
            state.cancellations[number] = { task.cancel() }
            return (number, task)
        }
        defer { state.withLock { _ = $0.cancellations.removeValue(forKey: task.number) } }
        do {
            return try await withTaskCancellationHandler {
                try await task.task.value
            } onCancel: {
                task.task.cancel()
            }
        } catch {
            // An operation that the switch cancelled is not one that its caller cancelled.
            guard !Task.isCancelled, isOffline else { throw error }
            throw Self.refusal
        }
    }

    /// Returns whether the cloud is switched off, now and after each change.
    private func switches() -> AsyncStream<Bool> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { listener in
            let number = state.withLock { state in
                let number = state.number()
                state.listeners[number] = listener
                listener.yield(state.isOffline)
                return number
            }
            listener.onTermination = { [weak self] _ in
                self?.state.withLock { _ = $0.listeners.removeValue(forKey: number) }
            }
        }
    }

    /// Returns what the cloud itself can do beyond the contract.
    private func facet<Facet>(_ type: Facet.Type, of facet: String) throws -> Facet {
        guard let facet = cloud.facet(type) else { throw CloudError(.failed, "This cloud does not support \(facet).") }
        return facet
    }
}

extension SwitchableCloud: CloudBackend {
    package func facet<Facet>(_ type: Facet.Type) -> Facet? { cloud.facet(type) == nil ? nil : self as? Facet }

    package func connect(create: Bool) async throws -> CloudIdentity {
        try await travel { [cloud] in try await cloud.connect(create: create) }
    }

    package func containers() async throws -> [ContainerName] {
        try await travel { [cloud] in try await cloud.containers() }
    }

    package func createContainer(_ name: ContainerName) async throws {
        try await travel { [cloud] in try await cloud.createContainer(name) }
    }

    package func append(
        _ payload: [UInt8], to container: ContainerName, after position: LogPosition
    ) async throws -> LogSequence {
        try await travel { [cloud] in try await cloud.append(payload, to: container, after: position) }
    }

    package func entries(
        in container: ContainerName, after position: LogPosition, limit: Int
    ) async throws -> [LogRecord] {
        try await travel { [cloud] in try await cloud.entries(in: container, after: position, limit: limit) }
    }

    package func missing(_ chunks: [ChunkID], in container: ContainerName) async throws -> Set<ChunkID> {
        try await travel { [cloud] in try await cloud.missing(chunks, in: container) }
    }

    package func putChunk(_ chunk: OutgoingChunk, in container: ContainerName) async throws {
        try await travel { [cloud] in try await cloud.putChunk(chunk, in: container) }
    }

    package func distrust(_ chunks: Set<ChunkID>, in container: ContainerName) async throws {
        try await travel { [cloud] in try await cloud.distrust(chunks, in: container) }
    }

    package func getChunk(_ id: ChunkID, in container: ContainerName) async throws -> [UInt8] {
        try await travel { [cloud] in try await cloud.getChunk(id, in: container) }
    }

    package func space() async throws -> CloudSpace? { try await travel { [cloud] in try await cloud.space() } }
}

extension SwitchableCloud: ChangeNotifying {
    package func events() -> AsyncStream<CloudEvent> {
        let (events, continuation) = AsyncStream.makeStream(of: CloudEvent.self, bufferingPolicy: .bufferingNewest(64))
        let follower = Task { [switches = switches(), cloud] in
            var inner: Task<Void, Never>?
            for await isOffline in switches {
                inner?.cancel()
                guard !isOffline, let cloud = cloud.facet((any ChangeNotifying).self) else { continue }
                continuation.yield(.reachabilityChanged)
                inner = Task { for await event in cloud.events() { continuation.yield(event) } }
            }
            inner?.cancel()
            continuation.finish()
        }
        continuation.onTermination = { _ in follower.cancel() }
        return events
    }
}

extension SwitchableCloud: ChunkBatching {
    package func putChunks(_ chunks: [OutgoingChunk], in container: ContainerName) async throws {
        let cloud = try facet((any ChunkBatching).self, of: "several chunks in one request")
        try await travel { try await cloud.putChunks(chunks, in: container) }
    }
}

extension SwitchableCloud: ChunkReading {
    package func withChunk<T: Sendable>(
        _ id: ChunkID, in container: ContainerName, _ use: @escaping @Sendable ([UInt8]) -> T
    ) async throws -> T {
        let cloud = try facet((any ChunkReading).self, of: "reading on its own threads")
        return try await travel { try await cloud.withChunk(id, in: container, use) }
    }
}

extension SwitchableCloud: ChunkCollecting {
    private func collecting() throws -> any ChunkCollecting {
        try facet((any ChunkCollecting).self, of: "collection by devices")
    }

    package func present(_ keys: [ChunkKey], in container: ContainerName) async throws -> Set<ChunkKey> {
        let cloud = try collecting()
        return try await travel { try await cloud.present(keys, in: container) }
    }

    package func putChunk(_ chunk: OutgoingChunk, epoch: UInt64, in container: ContainerName) async throws {
        let cloud = try collecting()
        try await travel { try await cloud.putChunk(chunk, epoch: epoch, in: container) }
    }

    package func putChunks(_ chunks: [OutgoingChunk], epoch: UInt64, in container: ContainerName) async throws {
        let cloud = try collecting()
        try await travel { try await cloud.putChunks(chunks, epoch: epoch, in: container) }
    }

    package func storedChunks(
        in container: ContainerName, after key: ChunkKey?, limit: Int
    ) async throws -> [StoredChunk] {
        let cloud = try collecting()
        return try await travel { try await cloud.storedChunks(in: container, after: key, limit: limit) }
    }

    package func remove(_ keys: [ChunkKey], in container: ContainerName) async throws {
        let cloud = try collecting()
        try await travel { try await cloud.remove(keys, in: container) }
    }
}

extension SwitchableCloud: HistoryJoining {
    package func joinHistories(of container: ContainerName) async throws {
        let cloud = try facet((any HistoryJoining).self, of: "joining histories")
        try await travel { try await cloud.joinHistories(of: container) }
    }
}

extension SwitchableCloud: LinkPublishing {
    private func publishing() throws -> any LinkPublishing { try facet((any LinkPublishing).self, of: "links") }

    package func publish(_ publication: Publication) async throws -> NewLink {
        let cloud = try publishing()
        return try await travel { try await cloud.publish(publication) }
    }

    package func links() async throws -> [KnownLink] {
        let cloud = try publishing()
        return try await travel { try await cloud.links() }
    }

    package func withdrawLink(_ id: Int64) async throws {
        let cloud = try publishing()
        try await travel { try await cloud.withdrawLink(id) }
    }
}

extension SwitchableCloud: RemoteResettable {
    package var isResetAsked: Bool { !isOffline && cloud.facet((any RemoteResettable).self)?.isResetAsked ?? false }

    package func confirmReset() async throws {
        let cloud = try facet((any RemoteResettable).self, of: "resets")
        try await travel { try await cloud.confirmReset() }
    }
}

extension SwitchableCloud: UseReporting {
    package func use() async throws -> CloudUseReport {
        let cloud = try facet((any UseReporting).self, of: "figures of what uses its space")
        return try await travel { try await cloud.use() }
    }
}

extension SwitchableCloud: WorkDeferring {
    package func finishDeferredWork(within limit: Duration) async {
        guard !isOffline, let cloud = cloud.facet((any WorkDeferring).self) else { return }
        await cloud.finishDeferredWork(within: limit)
    }
}
