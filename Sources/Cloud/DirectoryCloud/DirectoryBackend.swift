package import Basics
package import CloudModel
package import CloudStorage
package import Logging
package import SystemPackage

/// A cloud without a server: a directory on this machine, shared by any number of devices and processes.
///
/// - A container's log has a file per entry. `link(2)` gives an entry its number, so appends of many processes have one
///   order without locks, and a crash leaves either the whole entry or none.
/// - A chunk is a file, named by its digest. It appears whole by a rename and becomes durable with the next append.
/// - A vanished directory (a removed disk, a renamed folder) is `offline` and never recreated.
///
/// For the layout and the reasons, see `docs/BACKENDS.md`.
package final class DirectoryBackend: ChangeNotifying, ChunkCollecting, ChunkReading, HistoryJoining {
    private let directory: CloudDirectory
    /// Four threads: enough to keep a disk busy, few enough to waste little when the disk hangs.
    private let threads = DirectoryThreads(width: 4)

    /// Creates a backend for the absolute `path`. Nothing is accessed before ``connect(create:)``.
    package init(path: FilePath, logger: Logger, time: any TimeSource = SystemTime()) {
        directory = CloudDirectory(path: path, time: time, logger: logger)
    }

    package func connect(create: Bool) async throws -> CloudIdentity {
        try await threads.run { [directory] in try directory.connect(create: create) }
    }

    package func containers() async throws -> [ContainerName] {
        try await threads.run { [directory] in try directory.containers() }
    }

    package func createContainer(_ name: ContainerName) async throws {
        try await threads.run { [directory] in try directory.createContainer(name) }
    }

    package func append(
        _ payload: [UInt8], to container: ContainerName, after position: LogPosition
    ) async throws -> LogSequence {
        try await threads.run { [directory] in try directory.append(payload, to: container, after: position) }
    }

    package func entries(
        in container: ContainerName, after position: LogPosition, limit: Int
    ) async throws -> [LogRecord] {
        try await threads.run { [directory] in try directory.entries(in: container, after: position, limit: limit) }
    }

    package func joinHistories(of container: ContainerName) async throws {
        try await threads.run { [directory] in try directory.joinHistories(of: container) }
    }

    package func missing(_ chunks: [ChunkID], in container: ContainerName) async throws -> Set<ChunkID> {
        try await threads.run { [directory] in try directory.missing(chunks, in: container) }
    }

    package func putChunk(_ chunk: OutgoingChunk, in container: ContainerName) async throws {
        try await threads.run { [directory] in
            try directory.putChunk(ChunkKey(chunk.id), frame: chunk.frame, in: container)
        }
    }

    package func distrust(_ chunks: Set<ChunkID>, in container: ContainerName) async throws {
        directory.distrust(chunks, in: container)
    }

    package func getChunk(_ id: ChunkID, in container: ContainerName) async throws -> [UInt8] {
        try await threads.run { [directory] in try directory.getChunk(id, in: container) }
    }

    package func withChunk<T: Sendable>(
        _ id: ChunkID, in container: ContainerName, _ use: @escaping @Sendable ([UInt8]) -> T
    ) async throws -> T {
        try await threads.run { [directory] in
            try directory.getChunk(id, in: container)
        } then: {
            use($0)
        }
    }

    package func present(_ keys: [ChunkKey], in container: ContainerName) async throws -> Set<ChunkKey> {
        try await threads.run { [directory] in try directory.present(keys, in: container) }
    }

    package func putChunk(_ chunk: OutgoingChunk, epoch: UInt64, in container: ContainerName) async throws {
        let key = ChunkKey(chunk.id, epoch: epoch)
        try await threads.run { [directory] in try directory.putChunk(key, frame: chunk.frame, in: container) }
    }

    package func storedChunks(
        in container: ContainerName, after key: ChunkKey?, limit: Int
    ) async throws -> [StoredChunk] {
        try await threads.run { [directory] in try directory.storedChunks(in: container, after: key, limit: limit) }
    }

    package func remove(_ keys: [ChunkKey], in container: ContainerName) async throws {
        try await threads.run { [directory] in try directory.remove(keys, in: container) }
    }

    package func events() -> AsyncStream<CloudEvent> {
        let subscription = EventSubscription(root: directory.path, logger: directory.logger)
        return AsyncStream {
            await subscription.mailbox.next()
        } onCancel: {
            subscription.end()
        }
    }

    package func space() async throws -> CloudSpace? {
        try await threads.run { [directory] in try directory.space() }
    }
}
