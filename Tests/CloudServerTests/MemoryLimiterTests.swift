import ServerStorage
import TestSupport
import Testing

@testable import CloudServer

@Suite("Limit on bodies in memory")
struct MemoryLimiterTests {
    private let anna = AccountID(1)
    private let berta = AccountID(2)

    @Test("an account gets a quarter of the memory, and does not delay others by using it")
    func quarter() {
        var ledger = MemoryLimiter(limit: 100, largest: 0, maximumWaiting: 10)
        let first = ledger.request(25, for: anna)
        #expect(first == .granted(1))
        let second = ledger.request(10, for: anna)
        #expect(second == .waiting(2))
        let other = ledger.request(25, for: berta)
        #expect(other == .granted(3))
        let next = ledger.release(1)
        #expect(next == [2])
    }

    @Test(
        "a body larger than the account's share is admitted when the account has no other, and one that waits too long is refused"
    )
    func large() {
        var ledger = MemoryLimiter(limit: 100, largest: 0, maximumWaiting: 1)
        let large = ledger.request(1_000, for: anna)
        #expect(large == .granted(1))
        let small = ledger.request(1, for: berta)
        #expect(small == .waiting(2))
        let third = ledger.request(1, for: berta)
        #expect(third == .refused)
        let turns = ledger.release(1)
        #expect(turns == [2])
    }

    @Test("one account cannot fill the queue of waiting requests")
    func waiting() {
        var ledger = MemoryLimiter(limit: 100, largest: 0, maximumWaiting: 8)
        for _ in 0..<20 { _ = ledger.request(100, for: anna) }
        let other = ledger.request(1, for: berta)
        #expect(other == .waiting(21))
    }

    @Test("bodies that grow in steps, and together exceed the limit, all finish")
    func growing() {
        let seed = UInt64.random(in: 0 ... .max)
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            var ledger = MemoryLimiter(limit: 128, largest: 16, maximumWaiting: 1_000)
            var rests: [UInt64: Int] = [:]
            var waiting: Set<UInt64> = []
            for _ in 0..<60 {
                let account = AccountID(Int64(generator.number(1..<6)))
                switch ledger.request(1, for: account, isGrowing: true) {
                case .granted(let ticket): rests[ticket] = generator.number(0..<16)
                case .waiting(let ticket):
                    rests[ticket] = generator.number(0..<16)
                    waiting.insert(ticket)
                case .refused: Issue.record("refused")
                }
            }
            var ended = 0
            for _ in 0..<100_000 where ended < 60 {
                guard let ticket = generator.pick(rests.keys.filter { !waiting.contains($0) }.sorted()) else {
                    Issue.record("all wait for one another")
                    return
                }
                if let rest = rests[ticket], rest > 0 {
                    if ledger.grow(ticket, by: 1) { rests[ticket] = rest - 1 } else { waiting.insert(ticket) }
                    if waiting.contains(ticket) { rests[ticket] = rest - 1 }
                } else {
                    rests[ticket] = nil
                    ended += 1
                    for turn in ledger.endGrowth(ticket) + ledger.release(ticket) { waiting.remove(turn) }
                }
                #expect(ledger.used <= 128)
            }
            #expect(ended == 60 && ledger.used == 0)
        }
    }

    @Test("in any order of events no more than the limit is granted, and at the end no request waits")
    func random() {
        let seed = UInt64.random(in: 0 ... .max)
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            var ledger = MemoryLimiter(limit: 100, largest: 0, maximumWaiting: 20)
            var sizes: [UInt64: Int] = [:]
            var held: Set<UInt64> = []
            var waiting: Set<UInt64> = []
            for _ in 0..<200 {
                if generator.chance(15), let ticket = generator.pick(held.sorted()) {
                    let rest = generator.number(1..<(sizes[ticket] ?? 1) + 1)
                    sizes[ticket] = rest
                    for turn in ledger.shrink(ticket, to: rest) {
                        #expect(waiting.remove(turn) != nil)
                        held.insert(turn)
                    }
                } else if generator.chance(60) {
                    let bytes = generator.number(1..<130)
                    switch ledger.request(bytes, for: AccountID(Int64(generator.number(1..<4)))) {
                    case .granted(let ticket):
                        held.insert(ticket)
                        sizes[ticket] = min(bytes, 100)
                    case .waiting(let ticket):
                        waiting.insert(ticket)
                        sizes[ticket] = min(bytes, 100)
                    case .refused: #expect(waiting.count >= 5)
                    }
                } else if let ticket = generator.pick((held.union(waiting)).sorted()) {
                    held.remove(ticket)
                    waiting.remove(ticket)
                    for turn in ledger.release(ticket) {
                        #expect(waiting.remove(turn) != nil)
                        held.insert(turn)
                    }
                }
                #expect(held.reduce(0) { $0 + (sizes[$1] ?? 0) } <= 100)
                #expect(ledger.used == held.reduce(0) { $0 + (sizes[$1] ?? 0) })
                #expect(waiting.isEmpty || !held.isEmpty, "all wait and none is granted")
            }
            while let ticket = held.popFirst() {
                for turn in ledger.release(ticket) {
                    waiting.remove(turn)
                    held.insert(turn)
                }
            }
            #expect(waiting.isEmpty)
        }
    }
}
