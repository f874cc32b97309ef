package import CloudModel

/// A wrapper around a cloud, with exactly that cloud's abilities. It forwards the contract and each facet to ``base``,
/// through ``perform(_:_:)``; a conforming type implements only the methods it changes.
///
/// A facet not refined by this protocol would be lost behind a decorator. `DecoratorTests` in TidyTests finds these.
package protocol CloudDecorator: ChangeNotifying, ChunkBatching, ChunkCollecting, ChunkReading, HistoryJoining,
    LinkPublishing,
    RemoteResettable, UseReporting, WorkDeferring
{
    var base: any CloudBackend { get }

    /// Runs a forwarded operation that may throw.
    ///
    /// - Parameter name: The name of the forwarded method.
    func perform<T: Sendable>(
        _ name: String, _ operation: @escaping @Sendable () async throws -> T
    ) async throws -> T
}

extension CloudDecorator {
    package func perform<T: Sendable>(
        _ name: String, _ operation: @escaping @Sendable () async throws -> T
    ) async throws -> T { try await operation() }

    package func facet<Facet>(_ type: Facet.Type) -> Facet? { base.facet(type) == nil ? nil : self as? Facet }

    private func forward<T: Sendable>(
        _ name: String = #function, _ operation: @escaping @Sendable (any CloudBackend) async throws -> T
    ) async throws -> T {
        try await perform(name) { [base] in try await operation(base) }
    }

    private func forward<Facet: Sendable, T: Sendable>(
        to type: Facet.Type, _ name: String = #function, _ operation: @escaping @Sendable (Facet) async throws -> T
    ) async throws -> T {
        guard let facet = base.facet(type) else { throw CloudError(.failed, "This cloud does not support \(name).") }
        return try await perform(name) { try await operation(facet) }
    }
}

// MARK: The contract

extension CloudDecorator {
    package func connect(create: Bool) async throws -> CloudIdentity {
        try await forward { try await $0.connect(create: create) }
    }

    package func containers() async throws -> [ContainerName] { try await forward { try await $0.containers() } }

    package func createContainer(_ name: ContainerName) async throws {
        try await forward { try await $0.createContainer(name) }
    }

    package func append(
        _ payload: [UInt8], to container: ContainerName, after position: LogPosition
    ) async throws -> LogSequence {
        try await forward { try await $0.append(payload, to: container, after: position) }
    }

    package func entries(
        in container: ContainerName, after position: LogPosition, limit: Int
    ) async throws -> [LogRecord] {
        try await forward { try await $0.entries(in: container, after: position, limit: limit) }
    }

    package func missing(_ chunks: [ChunkID], in container: ContainerName) async throws -> Set<ChunkID> {
        try await forward { try await $0.missing(chunks, in: container) }
    }

    package func putChunk(_ chunk: OutgoingChunk, in container: ContainerName) async throws {
        try await forward { try await $0.putChunk(chunk, in: container) }
    }

    package func distrust(_ chunks: Set<ChunkID>, in container: ContainerName) async throws {
        try await forward { try await $0.distrust(chunks, in: container) }
    }

    package func getChunk(_ id: ChunkID, in container: ContainerName) async throws -> [UInt8] {
        try await forward { try await $0.getChunk(id, in: container) }
    }

    package func space() async throws -> CloudSpace? { try await forward { try await $0.space() } }
}

// MARK: The facets

extension CloudDecorator {
    package func events() -> AsyncStream<CloudEvent> {
        base.facet((any ChangeNotifying).self)?.events() ?? AsyncStream { $0.finish() }
    }

    package func putChunks(_ chunks: [OutgoingChunk], in container: ContainerName) async throws {
        try await forward(to: (any ChunkBatching).self) { try await $0.putChunks(chunks, in: container) }
    }

    package func withChunk<T: Sendable>(
        _ id: ChunkID, in container: ContainerName, _ use: @escaping @Sendable ([UInt8]) -> T
    ) async throws -> T {
        try await forward(to: (any ChunkReading).self) { try await $0.withChunk(id, in: container, use) }
    }

    package func present(_ keys: [ChunkKey], in container: ContainerName) async throws -> Set<ChunkKey> {
        try await forward(to: (any ChunkCollecting).self) { try await $0.present(keys, in: container) }
    }

    package func putChunk(_ chunk: OutgoingChunk, epoch: UInt64, in container: ContainerName) async throws {
        try await forward(to: (any ChunkCollecting).self) {
            try await $0.putChunk(chunk, epoch: epoch, in: container)
        }
    }

    package func putChunks(_ chunks: [OutgoingChunk], epoch: UInt64, in container: ContainerName) async throws {
        try await forward(to: (any ChunkCollecting).self) {
            try await $0.putChunks(chunks, epoch: epoch, in: container)
        }
    }

    package func storedChunks(
        in container: ContainerName, after key: ChunkKey?, limit: Int
    ) async throws -> [StoredChunk] {
        try await forward(to: (any ChunkCollecting).self) {
            try await $0.storedChunks(in: container, after: key, limit: limit)
        }
    }

    package func remove(_ keys: [ChunkKey], in container: ContainerName) async throws {
        try await forward(to: (any ChunkCollecting).self) { try await $0.remove(keys, in: container) }
    }

    package func joinHistories(of container: ContainerName) async throws {
        try await forward(to: (any HistoryJoining).self) { try await $0.joinHistories(of: container) }
    }

    package func publish(_ publication: Publication) async throws -> NewLink {
        try await forward(to: (any LinkPublishing).self) { try await $0.publish(publication) }
    }

    package func links() async throws -> [KnownLink] {
        try await forward(to: (any LinkPublishing).self) { try await $0.links() }
    }

    package func withdrawLink(_ id: Int64) async throws {
        try await forward(to: (any LinkPublishing).self) { try await $0.withdrawLink(id) }
    }

    package var isResetAsked: Bool { base.facet((any RemoteResettable).self)?.isResetAsked ?? false }

    package func confirmReset() async throws {
        try await forward(to: (any RemoteResettable).self) { try await $0.confirmReset() }
    }

    package func use() async throws -> CloudUseReport {
        try await forward(to: (any UseReporting).self) { try await $0.use() }
    }

    package func finishDeferredWork(within limit: Duration) async {
        await base.facet((any WorkDeferring).self)?.finishDeferredWork(within: limit)
    }
}
