import CloudStorage
import ControlServer
import DaemonProtocol
import Maintenance
import Sync
import Synchronization

struct CheckHandler: NounHandler {
    let device: MountedDevice
    let progress: DaemonProgress
    let daemon: any DaemonControl

    func register(in router: inout CallRouter) {
        router.on(check)
    }

    /// Checks all data for consistency; see docs/STATUS.md. Checks do not run concurrently.
    func check(_ request: CheckRequest) async throws -> CheckResponse {
        try begin()
        defer { progress.check.withLock { $0 = nil } }
        var check = DeviceCheck(device.engine.context, repair: request.repair) { [progress] now in
            progress.check.withLock { $0 = CheckStatus(now) }
        }
        var report = try await check.run()
        if let settings = try await blocking({ [daemon] in try daemon.checkSettings(repair: request.repair) }) {
            if request.repair { report.repaired(settings) } else { report.found(settings) }
        }
        if request.repair {
            device.engine.localTreeChanged()
            device.engine.downloadsWanted()
        }
        return CheckResponse(
            checkedItems: report.items, checkedBytes: report.bytes, problems: report.problems.map(failure),
            problemCount: report.problemCount, repairs: report.repairs.map(failure), repairCount: report.repairCount,
            needsReset: report.needsRebuild)
    }

    private func begin() throws(DaemonFailure) {
        let isFree = progress.check.withLock { check in
            guard check == nil else { return false }
            check = CheckStatus(stage: "beginning", completedBytes: 0, totalBytes: 0, problems: 0)
            return true
        }
        guard isFree else {
            throw DaemonFailure(
                .busy, "a check is already running", path: configuration.mountPoint, advice: "Wait until it has ended."
            )
        }
    }

    private func failure(_ finding: Finding) -> DaemonFailure {
        let path = finding.path.isEmpty ? nil : finding.path.joined(separator: "/")
        return DaemonFailure(.damaged, finding.what, path: path, advice: finding.advice)
    }
}

extension CheckStatus {
    init(_ progress: CheckProgress) {
        self.init(
            stage: progress.stage, completedBytes: progress.bytes, totalBytes: progress.total,
            problems: progress.problems)
    }
}
