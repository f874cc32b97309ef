import TestSupport
import Testing

@testable import ServerStorage

@Suite("A fair queue for a resource with one user at a time")
struct FairQueueTests {
    @Test("however many requests of one account wait, another account waits for one of them at most")
    func turns() {
        var queue = FairQueue<String>(maximumWaiting: 100, maximumPerKey: 50)
        #expect(queue.enter("greedy") == .granted(1))
        for number in UInt64(2)...40 { #expect(queue.enter("greedy") == .waiting(number)) }
        #expect(queue.enter("other") == .waiting(41))
        #expect(queue.leave(1) == 2)
        #expect(queue.leave(2) == 41)
        #expect(queue.leave(41) == 3)
    }

    @Test("an account with too many waiting requests is refused, and others are not")
    func bounds() {
        var queue = FairQueue<String>(maximumWaiting: 3, maximumPerKey: 2)
        _ = queue.enter("greedy")
        _ = queue.enter("greedy")
        _ = queue.enter("greedy")
        #expect(queue.enter("greedy") == .refused)
        #expect(queue.enter("other") == .waiting(5))
        #expect(queue.enter("third") == .refused)
        // A cancelled request frees its slot.
        #expect(queue.leave(5) == nil)
        #expect(queue.enter("third") == .waiting(7))
    }

    @Test("in any order of events one request runs at a time, and at the end none waits")
    func random() {
        let seed = UInt64.random(in: 0 ... .max)
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            var queue = FairQueue<Int>(maximumWaiting: 10, maximumPerKey: 4)
            var running: UInt64?
            var waiting: Set<UInt64> = []
            for _ in 0..<100 {
                if generator.chance(55) {
                    switch queue.enter(generator.number(0..<4)) {
                    case .granted(let ticket):
                        #expect(running == nil && waiting.isEmpty)
                        running = ticket
                    case .waiting(let ticket): waiting.insert(ticket)
                    case .refused: #expect(!waiting.isEmpty)
                    }
                } else if generator.chance(30), let ticket = generator.pick(waiting.sorted()) {
                    waiting.remove(ticket)
                    #expect(queue.leave(ticket) == nil)
                } else if let ticket = running {
                    running = queue.leave(ticket)
                    #expect(running != nil || waiting.isEmpty)
                    if let running { #expect(waiting.remove(running) != nil) }
                }
            }
            while let ticket = running {
                running = queue.leave(ticket)
                if let running { waiting.remove(running) }
            }
            #expect(waiting.isEmpty && queue.waitingCount == 0)
        }
    }
}
