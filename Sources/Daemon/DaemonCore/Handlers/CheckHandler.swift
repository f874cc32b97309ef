import CloudStorage
import ControlServer
import DaemonProtocol
import Maintenance
import Sync
import Synchronization

struct CheckHandler: NounHandler {
    let mounted: MountedDevice
    let progress: DaemonProgress

    func register(in router: inout CallRouter) {
        router.on(check)
    }

    /// Checks all data for consistency; see docs/STATUS.md. Only one check runs at a time.
    func check(_ request: CheckRequest) async throws -> CheckResponse {
        try begin()
        defer { progress.check.withLock { $0 = nil } }
        var check = DeviceCheck(device.engine.context, repair: request.repair) { [progress] now in
            progress.check.withLock { $0 = CheckStatus(now) }
        }
        var report = try await check.run()
        if let settings = try await blocking({ [self] in try checkSettings(repair: request.repair) }) {
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

    /// Compares the settings for the next start with the configuration of this one.
    private func checkSettings(repair: Bool) throws -> Finding? {
        let settings = DaemonSettings(configuration)
        let file = configuration.settingsFile
        // Settings that cannot be read cannot be right.
        guard (try? DaemonSettings.load(from: file)) != settings else { return nil }
        guard repair else {
            return Finding(
                "the settings in \(file) are damaged", advice: "Run `ubiquity repair`: it writes the file again.")
        }
        try settings.save(to: file)
        return Finding("the settings in \(file) were damaged and have been written again")
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
