import Chunking
import CloudModel
import TestSupport
import Testing

@testable import Transfers

/// Drives a plan with random readers, cancellations, failures and time, and checks its invariants after each event.
@Suite struct FetchPlanSimulation {
    @Test(
        "Under random events no chunk is fetched twice at once, limits hold and every waiter gets the right result",
        arguments: 0..<200)
    func random(seed: UInt64) {
        var world = World(seed: seed)
        for _ in 0..<400 { world.step() }
        world.settle()
        #expect(world.plan.waiters.isEmpty, "seed \(seed): a reader waits for ever")
        #expect(world.inFlight.isEmpty, "seed \(seed): a fetch never ended")
        #expect(world.violations.isEmpty, "seed \(seed): \(world.violations)")
    }

    private struct World {
        var plan: FetchPlan
        var random: SeededGenerator
        let manifest: Manifest
        var now = Duration.zero
        var inFlight: Set<FetchPlan.Target> = []
        var cancelled: Set<FetchPlan.Target> = []
        var waiting: [FetchPlan.WaiterID: Range<UInt64>] = [:]
        var nextNumber: UInt64 = 0
        var violations: [String] = []

        init(seed: UInt64) {
            var random = SeededGenerator(seed: seed)
            let count = Int.random(in: 2...70, using: &random)
            manifest = Manifest(
                (0..<count).map { ChunkEntry(id: .of([UInt8($0)]), length: Int.random(in: 1...9, using: &random)) })
            plan = FetchPlan(size: manifest.size, parallel: 3, readAhead: 4)
            self.random = random
        }

        mutating func step() {
            switch Int.random(in: 0..<10, using: &random) {
            case 0, 1: demand()
            case 2: cancelOne()
            case 3: pass(.milliseconds(Int.random(in: 1...2_000, using: &random)))
            case 4: readOn()
            case 5: fail()
            default: arrive()
            }
        }

        /// Lets every fetch complete from now on.
        mutating func settle() {
            for _ in 0..<10_000 where !plan.waiters.isEmpty || !inFlight.isEmpty {
                arrive()
                pass(.seconds(1))
            }
        }

        private mutating func demand() {
            nextNumber += 1
            let id = FetchPlan.WaiterID(number: nextNumber)
            let isDemand = Bool.random(using: &random)
            let start = UInt64.random(in: 0..<manifest.size, using: &random)
            let some = start..<min(manifest.size, start + UInt64.random(in: 0...60, using: &random))
            let range = isDemand ? some : 0..<manifest.size
            waiting[id] = range
            let patience: Duration? = Bool.random(using: &random) ? .seconds(3) : nil
            perform(plan.demand(id, range, isDemand ? .demand : .background, patience: patience, now: now))
        }

        private mutating func cancelOne() {
            guard let id = waiting.keys.min(by: { $0.number < $1.number }) else { return }
            waiting[id] = nil
            perform(plan.cancel(id))
        }

        private mutating func readOn() {
            let start = UInt64.random(in: 0..<manifest.size, using: &random)
            if plan.isPresent(start..<start + 1) { perform(plan.readOn(start..<start + 1, now: now)) }
        }

        private mutating func pass(_ time: Duration) {
            now += time
            if let wake = plan.nextWake, wake <= now { perform(plan.tick(now: now)) }
        }

        private mutating func arrive() {
            guard let target = pick() else { return }
            if cancelled.remove(target) != nil, Bool.random(using: &random) {
                return perform(plan.abandoned(target, now: now))
            }
            switch target {
            case .manifest:
                let none = PresenceBitmap(count: manifest.chunks.count)
                perform(plan.manifestArrived(manifest, present: none, now: now))
            case .chunk(let index): perform(plan.arrived(index, now: now))
            }
        }

        private mutating func fail() {
            guard let target = pick() else { return }
            cancelled.remove(target)
            let code: TransferError.Code =
                [.offline, .failed, .damaged, .notFound].randomElement(using: &random) ?? .offline
            perform(plan.failed(target, TransferError(code, ""), now: now, jitter: 0.5))
        }

        private mutating func pick() -> FetchPlan.Target? {
            let sorted = inFlight.sorted { "\($0)" < "\($1)" }
            guard let target = sorted.randomElement(using: &random) else { return nil }
            inFlight.remove(target)
            return target
        }

        private mutating func perform(_ actions: [FetchPlan.Action]) {
            for action in actions {
                switch action {
                case .start(let target, _):
                    if !inFlight.insert(target).inserted { violations.append("\(target) is fetched twice at once") }
                    if case .chunk(let index) = target, plan.present[index] {
                        violations.append("\(index) is fetched again")
                    }
                case .promote(let target):
                    if !inFlight.contains(target) { violations.append("\(target) is promoted but does not run") }
                case .cancel(let target): if inFlight.contains(target) { cancelled.insert(target) }
                case .succeed(let id):
                    guard let range = waiting.removeValue(forKey: id) else {
                        violations.append("\(id) ends twice"); continue
                    }
                    if !plan.isPresent(range) { violations.append("\(id) succeeds without its bytes") }
                case .fail(let id, _):
                    if waiting.removeValue(forKey: id) == nil { violations.append("\(id) ends twice") }
                }
            }
            if inFlight != Set(plan.inFlight.keys) { violations.append("the plan's idea of what runs is wrong") }
            if inFlight.count > 6 { violations.append("\(inFlight.count) fetches at once") }
        }
    }
}
