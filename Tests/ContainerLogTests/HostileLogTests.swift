import Basics
import CloudModel
import ContainerLog
import TestSupport
import Testing

/// Changes that no honest device would write, on so few ids and names that they often collide.
@Suite("Every log can be folded")
struct HostileLogTests {
    @Test(
        "Whatever a log contains, its tree is valid after each entry and the same on every device",
        arguments: [false, true])
    func sound(foldsNames: Bool) throws {
        let start = UInt64.random(in: 0 ... .max)
        for seed in start..<(start &+ 150) { try check(seed: seed, foldsNames: foldsNames) }
    }

    private func check(seed: UInt64, foldsNames: Bool) throws {
        var log = HostileLog(seed: seed, foldsNames: foldsNames)
        var other = log.tree
        for number in UInt64(1)...40 {
            let (batch, result) = try log.next()
            let found = problems(of: log.tree)
            if !found.isEmpty {
                Issue.record("seed \(seed), entry \(number): \(found), \(batch.changes)")
                return
            }
            #expect(try ContainerReducer().fold(batch, at: LogSequence(number), into: &other) == result)
        }
        #expect(try TreeDigest(of: log.tree) == TreeDigest(of: other), "seed \(seed)")
    }
}
