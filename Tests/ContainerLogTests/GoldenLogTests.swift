import ContainerLog
import Foundation
import TestSupport
import Testing

/// Recorded logs, in folders named by the rules they need. `make golden` records missing logs.
@Suite("Golden logs")
struct GoldenLogTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden")

    @Test("Every recorded log folds into the trees that it folded into when it was recorded")
    func same() throws {
        for (log, recorded) in try GoldenLog.all(in: Self.folder) {
            let digests = try log.digests()
            guard digests != recorded else { continue }
            let first = zip(digests, recorded).first { $0 != $1 }
            Issue.record("\(log.name): \(first?.0 ?? "nothing") where \(first?.1 ?? "nothing") was recorded")
        }
    }

    @Test("Every version of the rules has golden logs", arguments: 1...ContainerReducer.knownRules)
    func everyVersion(rules: UInt16) throws {
        let logs = try GoldenLog.all(in: Self.folder.appending(path: "rules-\(rules)"))
        #expect(logs.count >= 3, "Record logs that need rules \(rules): docs/LOG.md says how.")
        for (log, _) in logs { #expect(try log.rules() == rules, "\(log.name) is in the wrong folder") }
    }

    @Test(
        "Missing golden logs are recorded", .enabled(if: ProcessInfo.processInfo.environment["UBIQUITY_GOLDEN"] != nil))
    func record() throws {
        for log in try GoldenSamples.all() where try log.add(to: Self.folder) { print("recorded \(log.name)") }
    }
}
