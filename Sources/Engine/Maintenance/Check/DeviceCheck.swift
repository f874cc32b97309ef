import Basics
import CloudModel
import CloudStorage
import ContainerLog
import LocalContent
import LocalMetadata
import Logging
package import Sync
import Transfers

/// Verifies everything stored by a device and its cloud, while the device runs, and repairs it on request where
/// possible. Edits missing from the cloud are never dropped.
package struct DeviceCheck {
    let context: EngineContext
    let repairs: Bool
    private let onProgress: (CheckProgress) -> Void
    var report = CheckReport()
    private var progress: CheckProgress
    /// Created with the first item without a place elsewhere.
    var recovered: [ContainerName: RecoveredTree] = [:]

    package init(_ context: EngineContext, repair: Bool, onProgress: @escaping (CheckProgress) -> Void) {
        self.context = context
        repairs = repair
        self.onProgress = onProgress
        progress = CheckProgress(stage: "", bytes: 0, total: 0, problems: 0)
    }

    /// Throws an error that ends the check, or `CancellationError`.
    package mutating func run() async throws -> CheckReport {
        try await checkDatabase()
        do {
            try await checkLocalContent()
            try await checkCloud()
        } catch let error as CloudError {
            // Everything on this device was checked.
            report.found(Finding("the cloud could not be checked: \(clause(error.message))"))
        } catch let error as MetadataError {
            guard error.code == .damaged, report.problemCount > 0 else { throw error }
            report.found(Finding("not everything could be checked, as the database cannot be read"))
        }
        return report
    }

    // MARK: The database

    private mutating func checkDatabase() async throws {
        stage("the database", total: 0)
        let context = context
        let problems = try await context.blocking { try context.metadata.integrityProblems() }
        for problem in problems {
            let path = await path(inProblem: problem)
            report.foundInDatabase("the database is damaged: \(problem)", path: path)
        }
        do { try await checkSeals() } catch let error as MetadataError {
            guard error.code == .damaged else { throw error }
            report.foundInDatabase(clause(error.message), path: [])
        }
        try await checkReadability()
        // Further checks of a damaged database would be meaningless.
        guard !report.needsRebuild else { return }
        try await checkRows()
    }

    /// Finds rows with silently changed bytes.
    private mutating func checkSeals() async throws {
        let context = context
        let problems = try await context.blocking {
            try context.metadata.sealProblems(limit: 100)
        }
        for (problem, path) in problems {
            report.foundInDatabase("the database is damaged: \(problem.what)", path: path.map(\.description))
        }
    }

    /// Finds rows with intact bytes but values impossible for an item.
    private mutating func checkReadability() async throws {
        let context = context
        let problems = try await context.blocking { try context.metadata.read { try $0.unreadableRows(limit: 100) } }
        for problem in problems {
            let path = if let node = problem.node { await path(of: node) } else { [String]() }
            report.foundInDatabase("the database is damaged: \(problem.what)", path: path)
        }
    }

    /// SQLite names the row with the wrong index entry.
    private func path(inProblem problem: String) async -> [String] {
        guard let match = problem.firstMatch(of: /row (\d+) missing from index local_/), let number = UInt64(match.1)
        else { return [] }
        return await path(of: NodeID(number))
    }

    private mutating func checkRows() async throws {
        let context = context
        let problems = try await context.blocking {
            try context.metadata.read { transaction in
                try transaction.rowProblems(limit: 100).map { problem in
                    (problem, try problem.node.map { try transaction.local.path(of: $0).map(\.description) } ?? [])
                }
            }
        }
        for (problem, path) in problems {
            let what = "the database contradicts itself: \(problem.what)"
            if problem.kind != .strandedItem {
                report.foundInDatabase(what, path: path)
            } else if !repairs {
                let advice = "Run `ubiquity repair` to move it to the folder Recovered."
                report.found(Finding(what, path: path, advice: advice))
            }
        }
        if repairs { try await rescueStranded() }
    }

    // MARK: The bytes on this device

    private mutating func checkLocalContent() async throws {
        let context = context
        let total = try await context.blocking { try context.metadata.read { try $0.transfers.presentBytes() } }
        stage("documents on this device", total: total)
        var last = NodeID(0)
        while true {
            let page = try await context.blocking { [last] in
                try context.metadata.read { try $0.local.items(after: last, limit: 256) }
            }
            guard let end = page.last else { return }
            last = end.node
            report.items += UInt64(page.count)
            for item in page where item.kind == .file && item.presence != .none && item.size > 0 {
                try await check(item)
            }
        }
    }

    private mutating func check(_ item: LocalItem) async throws {
        try Task.checkCancellation()
        defer { advance(item.size) }
        guard !item.isWriting, !context.mounted.isOpen(item.node) else { return }
        let bytes = try await context.inspect(item)
        if case .good = bytes { return }
        // The item may have changed while its bytes were read.
        guard try await isUnchanged(item) else { return }
        try await judge(item, bytes)
    }

    private func isUnchanged(_ item: LocalItem) async throws -> Bool {
        let context = context
        return try await context.blocking { try context.metadata.read { try $0.local.item(item.node) } } == item
            && !context.mounted.isOpen(item.node)
    }

    private mutating func judge(_ item: LocalItem, _ bytes: LocalBytes) async throws {
        let path = await path(of: item.node)
        switch bytes {
        case .good: break
        case .lostEdit(let what):
            let rest =
                item.isKnown
                ? "take the cloud's version: `ubiquity resume --drop-edits PATH`."
                : "delete it: it was never in the cloud."
            report.found(
                Finding(
                    "\(what), and they are not in the cloud", path: path,
                    advice: "Restore it from a backup, or \(rest)"))
        case .damagedEdit:
            let what = "its bytes on this device are damaged, and they are not in the cloud"
            report.found(
                Finding(
                    what, path: path,
                    advice: "Open it and check it: save it again to keep it, or restore it from a backup."))
        case .wrongPart: try await repair(item, path, "the part of it on this device is damaged", nil, mayBeEdit: false)
        case .wrong(let what, let actual, let mayBeEdit):
            try await repair(item, path, what, actual, mayBeEdit: mayBeEdit)
        }
    }

    // MARK: Reporting

    mutating func stage(_ name: String, total: UInt64) {
        progress = CheckProgress(stage: name, bytes: 0, total: total, problems: report.problemCount)
        onProgress(progress)
    }

    mutating func advance(_ bytes: UInt64) {
        // Sizes are reported by other devices, so the sum may overflow.
        report.bytes = UInt64(clamping: UInt128(report.bytes) + UInt128(bytes))
        progress.bytes = UInt64(clamping: UInt128(progress.bytes) + UInt128(bytes))
        progress.problems = report.problemCount
        onProgress(progress)
    }

    func path(of node: NodeID) async -> [String] {
        let context = context
        // The path is only for people; without it the finding is still useful.
        let names = try? await context.blocking { try context.metadata.read { try $0.local.path(of: node) } }
        return (names ?? []).map(\.description)
    }

    func clause(_ sentence: String) -> String { sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence }
}
