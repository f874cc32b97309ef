import CloudModel
import ContainerLog
import ControlServer
import DaemonProtocol
import LocalMetadata
import Logging
import Sync
import VirtualFileSystem

struct MaintenanceHandler: NounHandler {
    let device: MountedDevice
    let status: StatusHandler
    let sync: SyncHandler
    let daemon: any DaemonControl

    func register(in router: inout CallRouter) {
        router.on { (_: DiagnoseRequest) in try await diagnose() }
        router.on(logLevel)
        router.on({ (request: StopRequest) in try await sync.stop(request) }, afterwards: { daemon.stop() })
    }

    /// Changes the daemon's log level, if the request names a level.
    func logLevel(_ request: LogLevelRequest) async throws -> LogLevelResponse {
        if let name = request.level {
            guard let levels = LogLevels(name, changing: daemon.logLevels) else {
                throw DaemonFailure(.invalidRequest, "there is no such log level: use \(LogLevels.syntax)")
            }
            try await blocking { [daemon] in try daemon.setLogLevels(levels) }
        }
        return LogLevelResponse(level: daemon.logLevels.description)
    }

    /// Returns the state of all components as text for a report, without names of documents.
    func diagnose() async throws -> DiagnoseResponse {
        try await blocking { [self] in
            let status = try self.status.mountStatus()
            let totals = try device.metadata.read { try $0.local.totals() }
            var lines = [
                "mount       \(status.mount)", "state       \(status.state)",
                "device      \(status.device.name) (\(status.device.id))", "cloud       \(status.cloud.url)",
                "reachable   \(status.cloud.state.rawValue)\(status.cloud.message.map { ": \($0)" } ?? "")",
                "items       \(totals.items), \(totals.bytes) bytes, \(totals.conflicts) conflict versions",
                "local       \(status.cache.bytes) bytes",
                "queue       \(status.queue.pendingItems) items to send, \(status.queue.pendingBytes) bytes to upload, "
                    + "\(status.queue.downloads) downloads wanted",
            ]
            lines += try device.metadata.read { transaction in
                try transaction.containers().map { container in
                    let outbox = try transaction.pending.batch(of: container.id)
                    let types = try transaction.local.packageTypes(of: container.id).declared.sorted()
                    let removed = try transaction.local.isShown(container) ? "" : " (removed)"
                    return "container   \(container.name)\(removed): log followed to \(container.sequence)"
                        + (types.isEmpty ? "" : ", declares the packages \(types.joined(separator: " "))")
                        + (outbox.map { ", batch \($0.deviceSequence) on its way" } ?? "")
                }
            }
            let open = device.files.openFileCounts
            lines.append("open files  \(open.all), \(open.writing) for writing")
            if let transport = daemon.transport { lines.append("transport   \(transport)") }
            lines += status.errors.map { "error       \($0.message)" }
            // In this order: if no request is in progress, the costs are those of all requests counted before.
            let requests = daemon.requestCounts
            let inProgress = daemon.requestsInProgress
            let costs = device.files.requestCosts
            lines.append(
                "requests    \(requests.values.reduce(0, +)) from the kernel since the mount, \(inProgress) in progress"
            )
            let kinds = costs.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
            lines.append("costs       \(kinds.joined(separator: ", ")) for these requests")
            return DiagnoseResponse(
                report: lines.joined(separator: "\n"), requests: requests, requestsInProgress: inProgress,
                requestCosts: costs)
        }
    }
}
