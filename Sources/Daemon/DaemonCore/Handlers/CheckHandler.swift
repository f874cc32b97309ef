import CloudStorage
import DaemonProtocol
import Maintenance
import Sync
import Synchronization

extension DaemonService {
    /// Holds everything against everything; see docs/STATUS.md. One check at a time.
    func check(_ request: CheckRequest) async throws -> CheckResponse {
        try begin()
        defer { daemon.check.withLock { $0 = nil } }
        var check = DeviceCheck(device.engine.context, repair: request.repair) { [daemon] progress in
            daemon.check.withLock { $0 = CheckStatus(progress) }
        }
        let report = try await check.run()
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
        let isFree = daemon.check.withLock { check in
            guard check == nil else { return false }
            check = CheckStatus(stage: "beginning", completedBytes: 0, totalBytes: 0, problems: 0)
            return true
        }
        guard isFree else {
            throw DaemonFailure(
                .busy, "a check runs already", path: daemon.configuration.mountPoint, advice: "Wait until it has ended."
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
