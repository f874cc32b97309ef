import ArgumentParser
import Basics
import Foundation
import ServerStorage

struct StorageCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Compare what the database says with the chunks that are there.",
        discussion: """
            Checks that every chunk has its bytes, that no log lacks an entry, and that what accounts use is what they \
            have. The command may run beside the server and may be interrupted. Its status is 1 if something is damaged.

            --repair marks lost chunks as missing, so that devices that have them send them again, corrects what accounts \
            use, and removes chunks that nothing refers to. An entry that a log lacks comes back from a backup alone.
            """)

    @OptionGroup var place: PlaceOption
    @Flag(help: "Read the bytes of every chunk, instead of its size alone.") var read = false
    @Flag(help: "Repair what can be repaired.") var repair = false
    @Flag(help: "Print what was found as JSON.") var json = false

    func run() async throws {
        var isWhole = true
        try await withStore(place) { store in
            let limit = LineLimit()
            let report = try await store.checkStorage(CheckOptions(reads: read, repairs: repair)) { report in
                guard limit.isDue(report.isComplete) else { return }
                let end = report.isComplete ? "\n" : ""
                let text =
                    "\r\(report.chunks) of \(report.totalChunks) chunks, \(ByteCount(report.readBytes)) read\(end)"
                FileHandle.standardError.write(Data(text.utf8))
            }
            if json { try printJSON(report) } else { show(report) }
            isWhole = report.isWhole
        }
        guard isWhole else { throw ExitCode(1) }
    }

    private func show(_ report: StorageReport) {
        for finding in report.findings {
            let place = finding.container.map { "\(finding.account)/\($0)" } ?? finding.account
            let end = finding.isRepaired ? " (repaired)" : ""
            print(ListFormat.Cell.text("\(place): \(finding.kind.text(finding.what))\(end)").shown)
        }
        let rest = report.counts.values.reduce(0, +) - report.findings.count
        if rest > 0 { print("… and \(rest) more.") }
        print(
            """
            Checked \(counted(report.accounts, "account")), \(counted(report.containers, "container")), \
            \(counted(Int(clamping: report.entries), "entry", "entries")) and \(counted(report.chunks, "chunk")).
            """)
        if report.awaitedChunks > 0 {
            print(
                "\(counted(report.awaitedChunks, "chunk")) marked as missing: devices that have the bytes send them again."
            )
        }
        if report.removedStrays > 0 { print("Removed \(counted(report.removedStrays, "chunk")) without a row.") }
        if report.gaveWay { print("A backup is under way; run this again when it is done.") }
        let left = report.strays - report.removedStrays
        if left > 0 {
            print(
                "\(counted(left, "chunk")) without a row, of uploads under way or left by a crash; `collect` removes them."
            )
        }
        for advice in advice(for: report) { print(advice) }
    }

    /// Recommends the next step.
    private func advice(for report: StorageReport) -> [String] {
        guard !report.isWhole else {
            return [report.counts.isEmpty ? "Nothing is damaged." : "Everything was repaired."]
        }
        var advice: [String] = []
        let gaps = report.counts[StorageReport.Finding.Kind.logGap.rawValue] ?? 0
        if report.unrepaired > gaps {
            advice.append("Run it again with --repair: devices then send lost chunks again.")
        }
        if gaps > 0 {
            advice.append(
                "A log lacks entries: restore the last backup that `check` finds whole, or remove that container.")
        }
        return advice
    }
}

extension StorageReport.Finding.Kind {
    fileprivate func text(_ what: String) -> String {
        switch self {
        case .lostChunk: "the bytes of chunk \(what) are missing"
        case .damagedChunk: "the bytes of chunk \(what) are damaged"
        case .logGap, .wrongSum: what
        }
    }
}
