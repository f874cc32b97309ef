import Basics
import ControlServer
import DaemonProtocol
import FoundationEssentials
import Glibc
import Logging
import Synchronization

/// A real control socket and registry record in a separate directory, with a scripted handler behind them.
struct FakeDaemon: Sendable {
    let directory: String
    let record: MountRecord

    /// Serves while `body` runs.
    static func with(
        _ handler: any RequestHandler, limits: SocketServer.Limits = .init(),
        _ body: @Sendable (FakeDaemon) async throws -> Void
    ) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "daemon-\(UUID().uuidString)").path
        try createDirectories("\(directory)/run/ubiquity")
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let record = MountRecord(
            mount: "\(directory)/mount", pid: getpid(), state: directory, socket: "\(directory)/control.sock")
        try MountRegistry(directories: ["\(directory)/run/ubiquity"]).publish(record)
        let server = SocketServer(
            socket: try ControlSocket.listen(at: record.socket),
            identity: HelloResponse(pid: getpid(), mount: record.mount, state: record.state), handler: handler,
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }), limits: limits)
        try await withThrowingTaskGroup { group in
            group.addTask { try await server.run() }
            try await body(FakeDaemon(directory: directory, record: record))
            group.cancelAll()
        }
    }
}

/// Responds by calling a closure, and records all requests.
final class ScriptedHandler: RequestHandler {
    private let asked = Mutex<[DaemonRequest]>([])
    private let answer: @Sendable (DaemonRequest) async throws -> DaemonResponse
    private let prompt: @Sendable (DaemonRequest) -> PromptResponse?
    private let states: [MountStatus]

    init(
        states: [MountStatus] = [], prompt: @escaping @Sendable (DaemonRequest) -> PromptResponse? = { _ in nil },
        _ answer: @escaping @Sendable (DaemonRequest) async throws -> DaemonResponse
    ) {
        self.answer = answer
        self.prompt = prompt
        self.states = states
    }

    func respondAtOnce(_ request: DaemonRequest, from client: ClientContext) -> PromptResponse? { prompt(request) }

    var requests: [DaemonRequest] { asked.withLock { $0 } }

    /// The calls of the commands, and of these tests.
    static let known = CallRegistry([
        AccessRequest.self, CheckRequest.self, ClaimsRequest.self, CollectRequest.self, ConflictsRequest.self,
        DeletedRequest.self,
        DiagnoseRequest.self, DownloadRequest.self, EvictRequest.self, FetchVersionRequest.self, FindRequest.self,
        FinishRequest.self, HelloRequest.self, KeyValuesRequest.self, LinksRequest.self, LogLevelRequest.self,
        MonitorRequest.self,
        ContainerNamesRequest.self, PackageTypesRequest.self, PinRequest.self, PublishRequest.self,
        MoveCloudRequest.self, RemoveVersionsRequest.self, ResetRequest.self,
        PurgeDeletedRequest.self,
        ResolveRequest.self, RestoreDeletedRequest.self, RestoreRequest.self, SetKeyValuesRequest.self,
        AllowDownloadsRequest.self, DownloadsRequest.self, LimitsRequest.self, ReportMeteredRequest.self,
        SetOnlineRequest.self, StatusRequest.self, StopRequest.self, StorageRequest.self, SyncRequest.self,
        UnfollowRequest.self,
        UnpublishRequest.self, VersionsRequest.self, WatchKeyValuesRequest.self, WatchRequest.self,
    ])

    var calls: CallRegistry { Self.known }

    func handle(_ request: DaemonRequest, from client: ClientContext) async throws -> DaemonResponse {
        asked.withLock { $0.append(request) }
        return try await answer(request)
    }

    func stream(_ request: DaemonRequest, from client: ClientContext) async throws -> CallRouter.Events? {
        guard request.call is WatchRequest else { return nil }
        return CallRouter.Events { continuation in
            for state in states { continuation.yield(.status(StatusResponse(mount: state))) }
            continuation.finish()
        }
    }
}

/// A gate that opens once, from any thread, and then resumes all waiting tasks.
final class Gate: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func open() { continuation.finish() }

    func wait() async { for await _ in stream {} }
}

/// Runs blocking code on a separate thread, so that it takes no thread from the responding tasks.
func blocking<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        do throws(Errno) {
            try OwnThread.detach("test") { continuation.resume(with: Swift.Result { try body() }) }
        } catch { continuation.resume(throwing: error) }
    }
}

extension MountStatus {
    static func sample(pendingItems: UInt64 = 0) -> MountStatus {
        MountStatus(
            mount: "/m", pid: 1, state: "/s", device: DeviceStatus(name: "laptop", id: "ff"),
            cloud: CloudStatus(url: "file:///c", state: .online, account: "anna", isSignedIn: true),
            queue: QueueStatus(pendingItems: pendingItems),
            containers: ["CloudDocs"])
    }
}
