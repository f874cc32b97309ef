import CallHandlers
import ClaimService
import CloudModel
import ControlServer
import DaemonProtocol
import DeviceSupport
import KeyValues
import LiveQueries
import LocalMetadata
import Logging
import Maintenance
import Mount
import Sync
import Synchronization
import Transfers
import VersionFiles
import VirtualFileSystem

/// The handlers of a device without a kernel or a network.
final class HandledDevice: Sendable {
    let parts: KernellessDevice
    let daemon = RecordingDaemon()
    let refused = RefusedPrograms()
    let service: DaemonService
    private let requests = Recorded<ItemName>()
    private let switched = Recorded<Bool>()

    init() throws {
        let parts = try KernellessDevice()
        let log = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let device = MountedDevice(
            metadata: parts.metadata, files: parts.files, engine: parts.engine,
            claims: ClaimService(parts.metadata, maximumClaims: 16, log: log),
            queries: QueryService(parts.metadata, mountPoint: "/mount", log: log),
            querySource: IdleQuerySource(context: parts.context), keyValues: KeyValueService(),
            versionFiles: VersionFiles(directory: "\(parts.directory)/versions", context: parts.context),
            invalidator: KernelInvalidator(parts.files, log: log), refused: refused,
            setOffline: { [switched] in switched.add($0) },
            identity: DeviceIdentity(DeviceID(7)),
            configuration: MountConfiguration(
                mountPoint: "/mount", stateDirectory: parts.directory, cloud: .directory(path: "/cloud"),
                deviceName: "test", versions: VersionLimits())
        ) { [requests] item in
            requests.add(item.name)
            return (1, item.size)
        }
        self.parts = parts
        service = DaemonService(device, daemon, progress: DaemonProgress(), rebuild: nil, logger: log)
    }

    /// The names of all items with a requested download.
    var requestedDownloads: [String] { requests.all.map(\.description) }
    /// Every switch of the cloud: true when it was switched off.
    var switches: [Bool] { switched.all }

    /// The path of an item in `Documents`.
    func path(_ name: String) throws -> MountPath {
        try MountPath("\(ContainerName.cloudDocs.folderName)/Documents/\(name)")
    }

    func call<Call: DaemonCall>(_ call: Call) async throws -> Call.Response? {
        let client = ClientContext(connection: 1, request: 1, processID: 1, userID: 1, program: "test")
        return try await service.handle(DaemonRequest(call), from: client).value as? Call.Response
    }
}

private final class Recorded<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])

    func add(_ value: Value) { values.withLock { $0.append(value) } }
    var all: [Value] { values.withLock { $0 } }
}

/// Records the handlers' requests to the daemon.
final class RecordingDaemon: DaemonControl {
    let stops = Mutex<[String]>([])
    let requestCounts: [String: UInt64] = ["read": 3]
    let requestsInProgress: UInt64 = 1
    let transport: String? = "io_uring, 2 queues"
    private let levels = Mutex(LogLevels())
    var logLevels: LogLevels { levels.withLock { $0 } }
    func setLogLevels(_ new: LogLevels) { levels.withLock { $0 = new } }

    /// The current problems of shared files.
    let problems = Mutex<[DaemonFailure]>([])
    var databases: any DatabaseCalls { NoDatabases(daemon: self) }

    func stop() { stops.withLock { $0.append("stop") } }

    func stopForReset() { stops.withLock { $0.append("reset") } }

    func prepareMove(to cloud: CloudAddress) { stops.withLock { $0.append("prepare \(cloud)") } }

    func stopToMove() { stops.withLock { $0.append("move") } }

    func checkSettings(repair: Bool) throws -> Finding? {
        Finding(repair ? "the settings were damaged" : "the settings are damaged")
    }
}

/// A device without a process for its databases.
private struct NoDatabases: DatabaseCalls {
    let daemon: RecordingDaemon

    func problems() async -> [DaemonFailure] { daemon.problems.withLock { $0 } }

    func perform<Call: DaemonCall>(_ call: Call, within limit: Duration) async throws -> Call.Response {
        throw DaemonFailure(.unsupported, "no databases")
    }
}

/// The source of a device without transfers.
private struct IdleQuerySource: QuerySource {
    let context: EngineContext

    var clock: any Clock<Duration> { context.transfers.clock }
    var transfers: TransferTable { TransferTable([:]) }
    var cloud: CloudState { .online }

    func blocking<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
        try await context.blocking(work)
    }
}
