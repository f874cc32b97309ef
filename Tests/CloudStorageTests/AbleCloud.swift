import Basics
import CloudModel
import CloudStorage
import Synchronization
import Testing

/// A cloud with all abilities; records its calls with their arguments.
final class AbleCloud: ChangeNotifying, ChunkBatching, ChunkCollecting, ChunkReading, HistoryJoining, LinkPublishing,
    RemoteResettable, UseReporting, WorkDeferring
{
    private let calls = Mutex<[String]>([])
    private let hasFacets: Bool

    init(hasFacets: Bool = true) { self.hasFacets = hasFacets }

    func takeCalls() -> [String] {
        calls.withLock { calls in
            defer { calls = [] }
            return calls
        }
    }

    private func note(_ name: String = #function, _ arguments: Any...) {
        calls.withLock { $0.append("\(name) \(arguments)") }
    }

    func facet<Facet>(_ type: Facet.Type) -> Facet? { hasFacets ? self as? Facet : nil }

    func connect(create: Bool) async throws -> CloudIdentity {
        note(#function, create)
        return CloudIdentity("able")
    }
    func containers() async throws -> [ContainerName] {
        note()
        return [.cloudDocs]
    }
    func createContainer(_ name: ContainerName) async throws { note(#function, name) }
    func append(
        _ payload: [UInt8], to container: ContainerName, after position: LogPosition
    ) async throws -> LogSequence {
        note(#function, payload, container, position)
        return LogSequence(7)
    }
    func entries(in container: ContainerName, after position: LogPosition, limit: Int) async throws -> [LogRecord] {
        note(#function, container, position, limit)
        return [LogRecord(.start, [3])]
    }
    func missing(_ chunks: [ChunkID], in container: ContainerName) async throws -> Set<ChunkID> {
        note(#function, chunks, container)
        return Set(chunks)
    }
    func putChunk(_ chunk: OutgoingChunk, in container: ContainerName) async throws {
        note(#function, chunk, container)
    }
    func distrust(_ chunks: Set<ChunkID>, in container: ContainerName) async throws {
        note(#function, chunks, container)
    }
    func getChunk(_ id: ChunkID, in container: ContainerName) async throws -> [UInt8] {
        note(#function, id, container)
        return [1, 2]
    }
    func space() async throws -> CloudSpace? {
        note()
        return CloudSpace(total: 9, free: 4)
    }

    func events() -> AsyncStream<CloudEvent> {
        note()
        return AsyncStream { stream in
            stream.yield(.containersChanged)
            stream.finish()
        }
    }
    func putChunks(_ chunks: [OutgoingChunk], in container: ContainerName) async throws {
        note(#function, chunks, container)
    }
    func withChunk<T: Sendable>(
        _ id: ChunkID, in container: ContainerName, _ use: @escaping @Sendable ([UInt8]) -> T
    ) async throws -> T {
        note(#function, id, container)
        return use([5, 6])
    }
    func present(_ keys: [ChunkKey], in container: ContainerName) async throws -> Set<ChunkKey> {
        note(#function, keys, container)
        return Set(keys)
    }
    func putChunk(_ chunk: OutgoingChunk, epoch: UInt64, in container: ContainerName) async throws {
        note(#function, chunk, epoch, container)
    }
    func putChunks(_ chunks: [OutgoingChunk], epoch: UInt64, in container: ContainerName) async throws {
        note(#function, chunks, epoch, container)
    }
    func storedChunks(in container: ContainerName, after key: ChunkKey?, limit: Int) async throws -> [StoredChunk] {
        note(#function, container, key as Any, limit)
        return key.map { [StoredChunk(key: $0, bytes: 8)] } ?? []
    }
    func remove(_ keys: [ChunkKey], in container: ContainerName) async throws { note(#function, keys, container) }
    func joinHistories(of container: ContainerName) async throws { note(#function, container) }
    func publish(_ publication: Publication) async throws -> NewLink {
        note(#function, publication)
        return NewLink(id: 1, url: "u", expires: Timestamp(nanoseconds: 0))
    }
    func links() async throws -> [KnownLink] {
        note()
        return []
    }
    func withdrawLink(_ id: Int64) async throws { note(#function, id) }
    var isResetAsked: Bool {
        note()
        return true
    }
    func confirmReset() async throws { note() }
    func use() async throws -> CloudUseReport {
        note()
        return CloudUseReport(parts: CloudUse(), counted: 6)
    }
    func finishDeferredWork(within limit: Duration) async { note(#function, limit) }
}

extension AbleCloud {
    /// Calls each method of the contract and of all facets once.
    ///
    /// - Returns: The results as text.
    static func useAll(_ cloud: any CloudBackend) async throws -> [String] {
        let here = ContainerName.cloudDocs
        let id = ChunkID(words: (1, 2, 3, 4))
        let chunk = OutgoingChunk(id: id, frame: [9])
        let key = ChunkKey(id, epoch: 5)
        var results: [Any] = [
            try await cloud.connect(create: true), try await cloud.containers(),
            try await cloud.createContainer(here), try await cloud.append([1], to: here, after: .start),
            try await cloud.entries(in: here, after: .start, limit: 2), try await cloud.missing([id], in: here),
            try await cloud.putChunk(chunk, in: here), try await cloud.distrust([id], in: here),
            try await cloud.getChunk(id, in: here), try await cloud.space() as Any,
        ]
        let notifying = try #require(cloud.facet((any ChangeNotifying).self))
        for await event in notifying.events() { results.append(event) }
        let batching = try #require(cloud.facet((any ChunkBatching).self))
        results.append(try await batching.putChunks([chunk], in: here))
        let reading = try #require(cloud.facet((any ChunkReading).self))
        results.append(try await reading.withChunk(id, in: here) { $0.count })
        let collecting = try #require(cloud.facet((any ChunkCollecting).self))
        results += [
            try await collecting.present([key], in: here), try await collecting.putChunk(chunk, epoch: 5, in: here),
            try await collecting.putChunks([chunk], epoch: 5, in: here),
            try await collecting.storedChunks(in: here, after: key, limit: 3),
            try await collecting.remove([key], in: here),
        ]
        let joining = try #require(cloud.facet((any HistoryJoining).self))
        results.append(try await joining.joinHistories(of: here))
        let publishing = try #require(cloud.facet((any LinkPublishing).self))
        let publication = Publication(
            content: ContentReference(digest: Digest(words: (1, 2, 3, 4)), size: 1, layout: .chunk),
            name: try ItemName("a"), container: here, seconds: 60, password: nil)
        results += [
            try await publishing.publish(publication), try await publishing.links(),
            try await publishing.withdrawLink(3),
        ]
        let resettable = try #require(cloud.facet((any RemoteResettable).self))
        results += [resettable.isResetAsked, try await resettable.confirmReset()]
        results.append(try await #require(cloud.facet((any UseReporting).self)).use())
        let deferring = try #require(cloud.facet((any WorkDeferring).self))
        results.append(await deferring.finishDeferredWork(within: .seconds(1)))
        return results.map { "\($0)" }
    }
}
