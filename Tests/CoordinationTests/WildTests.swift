import Testing

@testable import Coordination

@Suite("Wild programs")
struct WildTests {
    @Test(
        "Whatever programs nest, move and delete: no conflicting grants, no cycle, and every request ends without a clock",
        arguments: 0..<60)
    func reliable(seed: UInt64) {
        var world = WildWorld(seed: seed, isUnreliable: false)
        for _ in 0..<200 where world.violations.isEmpty { world.step() }
        world.settle()
        #expect(world.violations.isEmpty, "seed \(seed): \(world.violations.prefix(3))")
        #expect(world.waiting.isEmpty, "seed \(seed): \(world.waiting) wait for ever")
    }

    @Test(
        "With frozen and silent clients every request ends once they move, die or the clock has passed",
        arguments: 0..<60)
    func unreliable(seed: UInt64) {
        var world = WildWorld(seed: seed, isUnreliable: true)
        for _ in 0..<200 where world.violations.isEmpty { world.step() }
        world.settle()
        #expect(world.violations.isEmpty, "seed \(seed): \(world.violations.prefix(3))")
        #expect(world.waiting.isEmpty, "seed \(seed): \(world.waiting) wait for ever")
    }

    @Test("Frozen for ever, clients hold up others no longer than the bounds", arguments: 0..<30)
    func frozenForEver(seed: UInt64) {
        var world = WildWorld(seed: seed, isUnreliable: true)
        for _ in 0..<150 where world.violations.isEmpty { world.step() }
        world.endFrozen()
        #expect(world.violations.isEmpty, "seed \(seed): \(world.violations.prefix(3))")
        #expect(world.othersWaiting.isEmpty, "seed \(seed): \(world.othersWaiting) wait for ever")
    }

    @Test("When all clients are dead nothing is kept of them", arguments: 0..<30)
    func nothingKept(seed: UInt64) {
        var world = WildWorld(seed: seed, isUnreliable: true)
        for _ in 0..<200 { world.step() }
        for client in 1..<6 { world.die(ClientID(UInt64(client))) }
        #expect(world.table.isEmpty, "seed \(seed)")
    }
}
