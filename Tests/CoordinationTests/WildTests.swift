import Testing

@testable import Coordination

@Suite("Programs that behave at random")
struct WildTests {
    @Test(
        "Whatever programs nest, move and delete, there are no conflicting grants and no cycles, and every request ends without a timer",
        arguments: 0..<60)
    func reliable(seed: UInt64) {
        var world = WildWorld(seed: seed, isUnreliable: false)
        for _ in 0..<200 where world.violations.isEmpty { world.step() }
        world.settle()
        #expect(world.violations.isEmpty, "seed \(seed): \(world.violations.prefix(3))")
        #expect(world.waiting.isEmpty, "seed \(seed): \(world.waiting) wait for ever")
    }

    @Test(
        "With frozen and silent clients every request ends once they continue, die or time out",
        arguments: 0..<60)
    func unreliable(seed: UInt64) {
        var world = WildWorld(seed: seed, isUnreliable: true)
        for _ in 0..<200 where world.violations.isEmpty { world.step() }
        world.settle()
        #expect(world.violations.isEmpty, "seed \(seed): \(world.violations.prefix(3))")
        #expect(world.waiting.isEmpty, "seed \(seed): \(world.waiting) wait for ever")
    }

    @Test("Clients that stay frozen delay others no longer than the time limits", arguments: 0..<30)
    func frozenForEver(seed: UInt64) {
        var world = WildWorld(seed: seed, isUnreliable: true)
        for _ in 0..<150 where world.violations.isEmpty { world.step() }
        world.endFrozen()
        #expect(world.violations.isEmpty, "seed \(seed): \(world.violations.prefix(3))")
        #expect(world.othersWaiting.isEmpty, "seed \(seed): \(world.othersWaiting) wait for ever")
    }

    @Test("When all clients are dead none of their state is kept", arguments: 0..<30)
    func nothingKept(seed: UInt64) {
        var world = WildWorld(seed: seed, isUnreliable: true)
        for _ in 0..<200 { world.step() }
        for client in 1..<6 { world.die(ClientID(UInt64(client))) }
        #expect(world.table.isEmpty, "seed \(seed)")
    }
}
