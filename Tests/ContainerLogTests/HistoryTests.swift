import ContainerLog
import Foundation
import Testing

/// Random histories of three devices. A failure names its seed; put it among `knownSeeds` to keep it as a case.
@Suite("Devices that work independently lose nothing")
struct HistoryTests {
    /// The number of histories per run; nightly runs check more.
    private static let count = ProcessInfo.processInfo.environment["UBIQUITY_HISTORIES"].flatMap(UInt64.init) ?? 2000

    /// Seeds with past failures.
    private static let knownSeeds: [UInt64] = [10_210_207_794_222_172_393, 8_084_391_103_714_227_920]

    @Test("Every acknowledged content is current or in conflict, and deleted or replaced content does not come back")
    func nothingIsLost() throws {
        for seed in Self.knownSeeds { try check(seed) }
        let start = UInt64.random(in: 0 ... .max)
        for seed in start..<(start &+ Self.count) where try !check(seed) { return }
    }

    @Test("Entries that are twice in the log change nothing")
    func repeats() throws {
        let start = UInt64.random(in: 0 ... .max)
        for seed in start..<(start &+ Self.count / 8) {
            let history = try History(seed: seed)
            let repeated = try TreeDigest(of: history.folded(repeating: seed))
            let plain = try TreeDigest(of: history.folded(repeating: seed, asVoids: true))
            #expect(repeated == plain, "seed \(seed)")
        }
    }

    @discardableResult
    private func check(_ seed: UInt64) throws -> Bool {
        let history = try History(seed: seed)
        let tree = try history.folded()
        let found = problems(of: tree) + history.ledger.problems(of: tree)
        guard !found.isEmpty else { return true }
        Issue.record("seed \(seed): \(found.joined(separator: "; "))\n\(history.story.joined(separator: "\n"))")
        return false
    }
}
