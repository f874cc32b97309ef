import ArgumentParser
import Basics
import DaemonProtocol

/// `ubiquity check`: verifies the data on this device and in its cloud.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Verify the bytes and records on this device and in its cloud.",
        discussion: """
            Reads all bytes of documents on this device, the database, every entry of the log and every chunk in the cloud, \
            and compares them with their digests. Names the document of each problem. Nothing is changed. \
            Exit status 7 if there are problems; "ubiquity repair" repairs what can be repaired.
            """)

    @Argument(help: "The mount, or any path in it (default: all mounts).", completion: .directory)
    var path: String?

    @Flag(help: "Print the outcome as JSON.")
    var json = false

    func run() throws { try CheckRun(path: path, repair: false, json: json).run() }
}

/// `ubiquity repair`: checks, and repairs anything repairable.
struct RepairCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair", abstract: "Repair what is damaged, on this device and in its cloud.",
        discussion: """
            Checks like "ubiquity check", and repairs problems: damaged bytes of documents are downloaded again from the \
            cloud; bytes that the cloud has lost are uploaded again from this device; items without a folder are moved to the folder \
            Recovered; a damaged database is rebuilt as by "ubiquity reset". Edits that are not in the cloud are never dropped. \
            Exit status 7 if problems remain.
            """)

    @Argument(help: "The mount, or any path in it (default: all mounts).", completion: .directory)
    var path: String?

    @Flag(help: "Print the outcome as JSON.")
    var json = false

    func run() throws { try CheckRun(path: path, repair: true, json: json).run() }
}

/// A check of a path's mounts.
struct CheckRun {
    let path: String?
    let repair: Bool
    let json: Bool

    func run() throws {
        var problems: [DaemonFailure] = []
        var outcomes: [CheckOutcome] = []
        for group in try MountSelection(path.map { [$0] } ?? [], .current()).groups {
            let outcome = try check(group.record)
            outcomes.append(outcome)
            problems += outcome.problems
            if !json { report(outcome) }
        }
        if json { print(try StatusJSON.text(CheckDocument(mounts: outcomes))) }
        if let failure = CommandFailure(found: problems, isReported: json) { throw failure }
    }

    /// Checks a mount. A damaged database is repaired by a reset, after which a second check finds the remaining
    /// problems.
    private func check(_ record: MountRecord) throws -> CheckOutcome {
        let response = try ask(record)
        guard repair, response.needsReset == true else { return CheckOutcome(record, response) }
        guard let rebuild = try DaemonRestart(record).reset() else { return CheckOutcome(record, response) }
        var outcome = CheckOutcome(record, try ask(record))
        outcome.repaired(response.problems.map { $0.located(in: record) }, by: rebuild)
        return outcome
    }

    private func ask(_ record: MountRecord) throws -> CheckResponse {
        var connection = try DaemonConnection.open(record)
        var display = LiveDisplay()
        let response = try connection.call(CheckRequest(repair: repair), watch: WatchRequest()) {
            if Terminal.isInteractive, let check = $0.mount.check { display.show([line(check)]) }
        }
        display.clear()
        return response
    }

    private func line(_ check: CheckStatus) -> String {
        let share =
            check.totalBytes > 0
            ? " \(ByteCount(check.completedBytes)) of \(ByteCount(check.totalBytes))" : ""
        return "checking \(check.stage)\(share), \(counted(check.problems, "problem"))"
    }

    private func report(_ outcome: CheckOutcome) {
        let scope = "\(counted(outcome.checkedItems, "item")), \(ByteCount(outcome.checkedBytes))"
        let repaired = repair ? "\(outcome.repairCount) repaired, " : ""
        print("\(outcome.mount): \(scope), \(repaired)\(counted(outcome.problemCount, "problem")).")
        for repair in outcome.repairs { print("  \(repair)") }
        if outcome.problemCount > UInt64(outcome.problems.count) {
            Terminal.note("the first \(outcome.problems.count) of \(outcome.problemCount) problems are shown")
        }
    }
}

/// The output of `--json` for a mount.
struct CheckOutcome: Encodable {
    let mount: String
    let checkedItems: UInt64
    let checkedBytes: UInt64
    let problems: [DaemonFailure]
    let problemCount: UInt64
    private(set) var repairs: [DaemonFailure]
    private(set) var repairCount: UInt64
    let needsReset: Bool

    init(_ record: MountRecord, _ response: CheckResponse) {
        mount = record.mount
        checkedItems = response.checkedItems
        checkedBytes = response.checkedBytes
        problems = response.problems.map { $0.located(in: record) }
        problemCount = response.problemCount
        repairs = response.repairs.map { $0.located(in: record) }
        repairCount = response.repairCount
        needsReset = response.needsReset ?? false
    }

    /// Records that a reset repaired the database, including its problems.
    mutating func repaired(_ problems: [DaemonFailure], by rebuild: RebuildStatus) {
        repairs.append(DaemonFailure(.damaged, "its database was damaged: \(rebuild.summary)", path: mount))
        repairCount += 1
        let left = Set(self.problems)
        let gone = problems.filter { !left.contains($0) }
        repairs += gone
        repairCount += UInt64(gone.count)
    }
}

private struct CheckDocument: Encodable {
    var format = 1
    let mounts: [CheckOutcome]
}

extension CommandFailure {
    /// Creates a failure for the problems of a check; nil if there are none. `isReported`: they were printed already.
    init?(found problems: [DaemonFailure], isReported: Bool) {
        guard !problems.isEmpty else { return nil }
        status = .problemsFound
        causes = isReported ? [] : problems
    }
}
