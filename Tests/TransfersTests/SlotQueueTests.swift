import TestSupport
import Testing

@testable import Transfers

@Suite struct SlotQueueTests {
    private func request(_ queue: inout SlotQueue, _ priority: TransferPriority) -> TransferTicket {
        let ticket = queue.makeTicket()
        queue.enqueue(ticket, priority)
        return ticket
    }

    @Test("Background transfers leave the reserved slots to readers")
    func reserved() {
        var queue = SlotQueue(limit: 3, reservedForDemand: 1)
        let background = (0..<3).map { _ in request(&queue, .background) }
        #expect(queue.grant() == background[0])
        #expect(queue.grant() == background[1])
        #expect(queue.grant() == nil)
        let demand = request(&queue, .demand)
        #expect(queue.grant() == demand)
        #expect(queue.grant() == nil)
        queue.finish(background[0])
        #expect(queue.grant() == background[2])
    }

    @Test("Readers overtake background transfers and keep their order; a promoted request counts as a reader's")
    func order() {
        var queue = SlotQueue(limit: 2, reservedForDemand: 0)
        let first = request(&queue, .background)
        let second = request(&queue, .background)
        let demand = request(&queue, .demand)
        queue.promote(second, to: .demand)
        let granted = [queue.grant(), queue.grant()]
        #expect(granted == [demand, second])
        queue.finish(demand)
        #expect(queue.grant() == first)
        #expect(queue.waitingCount == 0)
    }

    @Test("A withdrawn request is never granted, and a running one cannot be withdrawn")
    func withdrawal() {
        var queue = SlotQueue(limit: 1, reservedForDemand: 0)
        let first = request(&queue, .background)
        let withdrawals = [queue.withdraw(first), queue.withdraw(first)]
        #expect(withdrawals == [true, false])
        let second = request(&queue, .background)
        #expect(queue.grant() == second)
        let late = queue.withdraw(second)
        #expect(!late)
    }

    @Test(
        "Under random events no more requests run than there are slots, and each that is not withdrawn runs once",
        arguments: 0..<20 as Range<UInt64>)
    func random(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var queue = SlotQueue(limit: 4, reservedForDemand: 1)
        var expected: Set<TransferTicket> = []
        var granted: [TransferTicket] = []
        var running: [TransferTicket] = []
        for _ in 0..<2_000 {
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1:
                expected.insert(request(&queue, TransferPriority.allCases.randomElement(using: &random) ?? .demand))
            case 2:
                if let ticket = expected.randomElement(using: &random), queue.withdraw(ticket) {
                    expected.remove(ticket)
                }
            case 3: if let ticket = expected.randomElement(using: &random) { queue.promote(ticket, to: .demand) }
            default: if !running.isEmpty { queue.finish(running.removeFirst()) }
            }
            while let ticket = queue.grant() {
                granted.append(ticket)
                running.append(ticket)
            }
            #expect(running.count <= 4, "seed \(seed)")
        }
        while queue.waitingCount > 0 {
            while let ticket = queue.grant() {
                granted.append(ticket)
                running.append(ticket)
            }
            queue.finish(running.removeFirst())
        }
        #expect(granted.count == Set(granted).count, "seed \(seed)")
        #expect(Set(granted) == expected, "seed \(seed)")
    }
}
