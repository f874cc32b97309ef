package import Basics
package import CloudModel
package import CloudStorage
package import Logging
package import S3Client
import Synchronization

/// A cloud in a bucket of an object store, without a server. Any number of devices share it.
///
/// - A container's log has an object per entry. After entry N, a writer creates N+1 unless it exists, an atomic
///   decision of the store, so appends of many devices have one order without locks and without gaps. Entries are never
///   deleted.
/// - A chunk is an object, named by its digest. It is durable once the store confirms it.
/// - A small object, the bell, is replaced after each append; devices poll it.
///
/// For the keys, the reasons and the costs, see `docs/BACKENDS.md`.
package final class S3Backend: ChangeNotifying, ChunkBatching, ChunkCollecting, HistoryJoining, WorkDeferring {
    let client: S3Client
    let layout: S3Layout
    let time: any TimeSource
    let clock: any Clock<Duration>
    let schedule: BellSchedule
    let logger: Logger
    let state = Mutex(S3State())
    let background = BackgroundWork()

    /// Nothing is accessed before ``connect(create:)``.
    ///
    /// - Parameters:
    ///   - time: Measures the age of the known log ends.
    ///   - clock: Measures the pauses between checks of the bell.
    package init(
        _ client: S3Client, logger: Logger, time: any TimeSource = SystemTime(),
        clock: any Clock<Duration> = ContinuousClock(), schedule: BellSchedule = BellSchedule()
    ) {
        self.client = client
        self.logger = logger
        self.time = time
        self.clock = clock
        self.schedule = schedule
        layout = S3Layout(prefix: client.location.prefix)
    }

    deinit { background.cancel() }

    /// A bucket has no limit.
    package func space() async throws -> CloudSpace? { nil }

    /// Waits until the bell has been rung and segments have been written for all appends before this call.
    package func finishBackgroundWork() async { await background.finish() }

    package func finishDeferredWork(within limit: Duration) async {
        let (clock, background) = (clock, background)
        let timer = Task {
            // Only cancellation ends the sleep early: the work was done in time.
            do { try await clock.sleep(for: limit) } catch { return }
            background.cancel()
        }
        await background.finish()
        timer.cancel()
    }

    // MARK: Containers

    package func containers() async throws -> [ContainerName] {
        try await perform { try await self.listContainers() }
    }

    func listContainers() async throws -> [ContainerName] {
        let names = layout.names
        let keys = try await client.list(names, limit: Self.maximumContainers).map(\.key)
        let found = keys.compactMap { ContainerName(String($0.dropFirst(names.count))) }.sorted()
        state.withLock { $0.containers.formUnion(found) }
        // An empty list from an absent cloud must not look like a cloud without containers.
        if found.isEmpty { try await confirmIdentity() }
        return found
    }

    /// More containers than any account has; bounds the result of a listing.
    private static let maximumContainers = 16_384

    package func createContainer(_ name: ContainerName) async throws {
        try await perform(.writing) {
            try await self.confirmIdentity()
            if try await self.client.putIfAbsent(self.layout.name(name), Array("\(name)\n".utf8)) { self.ring() }
            self.state.withLock { _ = $0.containers.insert(name) }
        }
    }

    /// - Throws: `notFound` if the container was never created.
    func requireContainer(_ name: ContainerName) async throws {
        if state.withLock({ $0.containers.contains(name) }) { return }
        guard try await client.size(layout.name(name)) != nil else {
            try await confirmIdentity()
            throw CloudError(.notFound, "The cloud at \(client.location) has no container \(name).")
        }
        state.withLock { _ = $0.containers.insert(name) }
    }

    // MARK: Errors

    enum Access { case reading, writing }

    /// Runs an operation of a connected cloud, and converts its errors.
    func perform<Value: Sendable>(
        _ access: Access = .reading, _ body: () async throws -> Value
    ) async throws -> Value {
        guard state.withLock({ $0.identity != nil }) else {
            throw CloudError(.offline, "The cloud at \(client.location) has not been opened yet.")
        }
        return try await translating(access, body)
    }

    func translating<Value: Sendable>(_ access: Access, _ body: () async throws -> Value) async throws -> Value {
        do { return try await body() } catch let error as S3Error {
            throw CloudError(error, isWriting: access == .writing)
        }
    }
}

/// A backend's knowledge of its cloud. Remote devices' actions do not invalidate any of it.
struct S3State {
    var identity: CloudIdentity?
    /// Existing containers. None is ever removed.
    var containers: Set<ContainerName> = []
    var logs: [ContainerName: KnownLog] = [:]
    /// The segment a reader is in the midst of.
    var segment: (container: ContainerName, segment: LogSegment)?
    /// Chunks with corrupt bytes according to a reader, and not put again since.
    var distrusted: Set<ChunkPlace> = []
    /// Called when this instance changes anything, so that a consumer of events checks the bell soon.
    var listeners: [UInt64: @Sendable () -> Void] = [:]
    var nextListener: UInt64 = 0
}

/// A chunk of a container, under any key.
struct ChunkPlace: Hashable, Sendable {
    let container: ContainerName
    let id: ChunkID
}
