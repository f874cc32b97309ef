import Basics
import CloudModel
import ContainerLog
import ControlServer
import DaemonProtocol
import Fuse
import Glibc
import LocalContent
import LocalMetadata
import Sync
import Synchronization
import VirtualFileSystem

struct MaintenanceHandler: NounHandler {
    let mounted: MountedDevice
    let status: StatusHandler
    let sync: SyncHandler
    let requestCounts: @Sendable () -> FuseRequestCounts?
    let stop: @Sendable () -> Void

    func register(in router: inout CallRouter) {
        router.on { (_: DiagnoseRequest) in try await diagnose() }
        router.on({ (request: StopRequest) in try await sync.stop(request) }, afterwards: stop)
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
                    return "container   \(container.name): log followed to \(container.sequence)"
                        + (types.isEmpty ? "" : ", declares the packages \(types.joined(separator: " "))")
                        + (outbox.map { ", batch \($0.deviceSequence) on its way" } ?? "")
                }
            }
            let open = device.files.openFileCounts
            lines.append("open files  \(open.all), \(open.writing) for writing")
            lines += status.errors.map { "error       \($0.message)" }
            let requests = requestCounts()?.byName ?? [:]
            lines.append("requests    \(requests.values.reduce(0, +)) from the kernel since the mount")
            return DiagnoseResponse(report: lines.joined(separator: "\n"), requests: requests)
        }
    }
}
