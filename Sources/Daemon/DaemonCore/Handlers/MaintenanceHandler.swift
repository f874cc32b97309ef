import Basics
import CloudModel
import DaemonProtocol
import Fuse
import Glibc
import LocalContent
import LocalMetadata
import Sync
import Synchronization
import VirtualFileSystem

extension DaemonService {
    /// The state of everything, as text for a report. Names of documents are left out.
    func diagnose() async throws -> DiagnoseResponse {
        try await blocking { [self] in
            let status = try mountStatus()
            let totals = try device.metadata.read { try $0.totals() }
            var lines = [
                "mount       \(status.mount)", "state       \(status.state)",
                "device      \(status.device.name) (\(status.device.id))", "cloud       \(status.cloud.url)",
                "reachable   \(status.cloud.state.rawValue)\(status.cloud.message.map { ": \($0)" } ?? "")",
                "items       \(totals.items), \(totals.bytes) bytes, \(totals.conflicts) conflict versions",
                "local       \(status.cache.bytes) bytes",
                "queue       \(status.queue.pendingItems) items to tell, \(status.queue.pendingBytes) bytes to upload, "
                    + "\(status.queue.downloads) downloads wanted",
            ]
            lines += try device.metadata.read { transaction in
                try transaction.containers().map { container in
                    let outbox = try transaction.outbox(of: container.id)
                    return "container   \(container.name): log followed to \(container.sequence)"
                        + (outbox.map { ", batch \($0.deviceSequence) on its way" } ?? "")
                }
            }
            let open = device.files.openFiles.all
            lines.append(
                "open files  \(open.count), \(open.count { $0.state.withLock { $0.writers > 0 } }) for writing")
            lines += status.errors.map { "error       \($0.message)" }
            let requests = daemon.requestCounts?.byName ?? [:]
            lines.append("requests    \(requests.values.reduce(0, +)) from the kernel since the mount")
            return DiagnoseResponse(report: lines.joined(separator: "\n"), requests: requests)
        }
    }

    /// Holds the database against itself and against the bytes on the disk.
    func check() async throws -> CheckResponse {
        try await blocking { [self] in
            var problems = try device.metadata.integrityProblems().map {
                DaemonFailure(.damaged, "the database: \($0)")
            }
            var count: UInt64 = 0
            var bytes: UInt64 = 0
            for root in try items(at: .root) {
                try device.metadata.read { transaction in
                    try transaction.forEach(below: root) { item in
                        count += 1
                        guard item.kind == .file, item.presence == .whole, item.size > 0 else { return }
                        bytes += item.size
                        if let problem = try self.problem(of: item, transaction) { problems.append(problem) }
                    }
                }
            }
            return CheckResponse(checkedItems: count, checkedBytes: bytes, problems: problems)
        }
    }

    private func problem(of item: LocalItem, _ transaction: MetadataTransaction) throws -> DaemonFailure? {
        guard device.files.openFiles[item.node] == nil else { return nil }
        do throws(Errno) {
            let blob = try device.content.status(item.blob)
            guard blob.size != item.size else { return nil }
            return DaemonFailure(
                .damaged, "the local bytes are \(blob.size) instead of \(item.size)",
                path: try? path(of: item, transaction).description,
                advice: item.content == nil ? nil : "Evict it; the cloud has it.")
        } catch {
            return DaemonFailure(
                .damaged, "the local bytes can not be read (\(error))",
                path: try? path(of: item, transaction).description)
        }
    }

    /// Not in this version: the rebuild needs the daemon to be stopped.
    func reset() async throws -> ResetResponse {
        throw DaemonFailure(
            .unsupported, "a running daemon can not reset itself yet",
            advice:
                "Unmount, move the state directory away and mount again; unsynced edits are in its folder `content`.")
    }
}
