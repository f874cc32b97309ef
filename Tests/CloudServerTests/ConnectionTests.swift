import ServerStorage
import TestSupport
import Testing

@testable import CloudServer

@Suite("Limits on connections")
struct ConnectionTests {
    private static let limits = ConnectionRules.Limits(patience: .seconds(45), unreadPatience: .seconds(10))

    @Test("a body that no route reads may go on for a bounded time and size, in whatever pieces it arrives")
    func unread() {
        var rules = ConnectionRules(Self.limits)
        rules.writesEnd(now: .seconds(1))
        for _ in 0..<9 { #expect(rules.readBody(1) == .none) }
        #expect(rules.check(now: .seconds(10)) == .none)
        #expect(rules.check(now: .seconds(11)) == .close)
        #expect(rules.mayRead)
        #expect(rules.readBody(64 << 10) == .stopReading)
        #expect(!rules.mayRead && rules.readBody(1) == .none)
    }

    @Test("a body that ends in time leaves the connection open")
    func readToEnd() {
        var rules = ConnectionRules(Self.limits)
        rules.writesEnd(now: .seconds(1))
        #expect(rules.readBody(1_000) == .none)
        rules.readEnd()
        #expect(!rules.isWatched && rules.check(now: .seconds(100)) == .none)
        // The server reads the body of the next request before it sends the response.
        #expect(rules.readBody(16 << 20) == .none)
        rules.readEnd()
        rules.writesEnd(now: .seconds(100))
        #expect(!rules.isWatched)
    }

    @Test("of the requests that a client has sent one at a time is handled, and meanwhile nothing more is read")
    func oneAtATime() {
        var rules = ConnectionRules(Self.limits)
        #expect(rules.mayBegin && rules.mayRead)
        rules.readHead()
        // Its body may still arrive.
        #expect(!rules.mayBegin && rules.mayRead)
        rules.readEnd()
        #expect(!rules.mayRead)
        rules.writesEnd(now: .seconds(1))
        #expect(!rules.mayBegin && !rules.mayRead)
        rules.responseTaken()
        #expect(rules.mayBegin && rules.mayRead)
    }

    @Test("requests of an address that has not signed in are handled at a bounded rate, whatever others send")
    func rate() {
        var rate = RequestRate()
        let many = (0..<1_000).count { _ in rate.allows("a", now: .zero) }
        #expect(many == RequestRate.burst)
        let other = rate.allows("b", now: .zero)
        #expect(other)
        let later = (0..<1_000).count { _ in rate.allows("a", now: .seconds(1)) }
        #expect(later == 50)
        // However many addresses send requests, the table is bounded and no address is refused forever.
        for number in 0..<30_000 { _ = rate.allows("\(number)", now: .seconds(1)) }
        let last = rate.allows("c", now: .seconds(1))
        #expect(last)
    }

    @Test("a connection that has signed in, or is of the machine itself, has no such rate")
    func strangers() {
        var table = ConnectionTable(.init(maximum: 100, perAddress: 10))
        _ = table.open(1, from: "a", now: .zero)
        _ = table.open(2, from: nil, now: .zero)
        #expect(table.strangerAddress(of: 1) == "a" && table.strangerAddress(of: 2) == nil)
        table.signIn(1, AccountID(1))
        #expect(table.strangerAddress(of: 1) == nil)
    }

    @Test("a client that does not read its response, or reads it too slowly, is disconnected")
    func readers() {
        var rules = ConnectionRules(Self.limits)
        rules.writes(now: .seconds(10))
        #expect(rules.check(now: .seconds(54)) == .none)
        #expect(rules.check(now: .seconds(56)) == .close)
        // The reader takes 3 KB in twenty seconds, and there is always more to take.
        rules.writes(now: .seconds(20))
        var end: Int?
        for second in 20..<200 where end == nil {
            if second % 20 == 0 {
                rules.writes(now: .seconds(second))
                rules.wrote(3_000)
            }
            if rules.check(now: .seconds(second)) == .close { end = second }
        }
        #expect(end.map { $0 < 65 } ?? false, "\(end as Int?)")
    }

    @Test("a slow client that keeps reading is served to the end")
    func slowReader() {
        var rules = ConnectionRules(Self.limits)
        rules.writes(now: .zero)
        for number in 1...500 {
            rules.writes(now: .seconds(number * 32))
            rules.wrote(128 << 10)
            #expect(rules.check(now: .seconds(number * 32)) == .none)
        }
    }

    @Test("each address has its own limit, and a closed connection frees its place")
    func addresses() {
        var table = ConnectionTable(.init(maximum: 1_000, perAddress: 3))
        for ticket in UInt64(1)...3 { #expect(table.open(ticket, from: "a", now: .zero) == []) }
        #expect(table.open(4, from: "a", now: .zero) == nil)
        #expect(table.open(5, from: "b", now: .zero) == [])
        table.close(2)
        #expect(table.open(6, from: "a", now: .zero) == [])
        // This bound does not apply to the machine itself and its proxies.
        for ticket in UInt64(10)..<30 { #expect(table.open(ticket, from: nil, now: .zero) == []) }
    }

    @Test("idle connections give way to new ones, the least active first; signed-in ones stay")
    func eviction() {
        var table = ConnectionTable(.init(maximum: 100, perAddress: 1_000))
        _ = table.open(1, from: nil, now: .zero)
        table.signIn(1, AccountID(1))
        for ticket in UInt64(2)...76 { #expect(table.open(ticket, from: nil, now: .seconds(Int(ticket))) == []) }
        // The oldest connection becomes active.
        table.isActive(2, now: .seconds(99))
        #expect(table.open(100, from: nil, now: .seconds(100)) == [3])
        #expect(table.open(101, from: nil, now: .seconds(101)) == [4])
        #expect(table.count == 76)
        for ticket in UInt64(200)..<400 {
            #expect(table.open(ticket, from: nil, now: .seconds(Int(ticket)))?.count == 1)
        }
        // Places are reserved for clients that sign in.
        for ticket in UInt64(380)..<392 { table.signIn(ticket, AccountID(Int64(ticket))) }
        #expect(table.open(500, from: nil, now: .seconds(500)) == [])
    }

    @Test("one signed-in account cannot take all places that are reserved for signed-in clients")
    func account() {
        var table = ConnectionTable(.init(maximum: 80, perAddress: 1_000))
        for ticket in UInt64(1)...500 {
            #expect(table.open(ticket, from: nil, now: .seconds(Int(ticket))) != nil)
            table.signIn(ticket, AccountID(1))
        }
        #expect(table.open(1_000, from: nil, now: .seconds(1_000))?.count == 1)
        #expect(table.count <= 80)
    }

    @Test("a body may arrive slowly, above a minimum rate; time spent waiting for the server does not count")
    func arrival() {
        var rate = ArrivalRate(start: .zero)
        rate.came(1)
        #expect(!rate.isTooSlow(now: .seconds(5)))
        #expect(rate.isTooSlow(now: .seconds(6)))
        rate.came(20 << 10)
        #expect(!rate.isTooSlow(now: .seconds(6)))
        rate.setHeld(true, now: .seconds(6))
        #expect(!rate.isTooSlow(now: .seconds(100)))
        rate.setHeld(false, now: .seconds(100))
        #expect(!rate.isTooSlow(now: .seconds(100)))
        #expect(rate.isTooSlow(now: .seconds(102)))
    }

    @Test("a link has a limited number of concurrent downloads, and each address has few of them")
    func slots() {
        let slots = ResponseSlots(limit: 10, perAddress: 3)
        var held = (0..<3).map { _ in slots.take(1, address: "a") }
        #expect(held.allSatisfy { $0 != nil } && slots.take(1, address: "a") == nil)
        let others = (0..<20).map { slots.take(1, address: "\($0)") }
        #expect(others.count { $0 != nil } == 7)
        #expect(slots.take(2, address: "a") != nil)
        held = []
        #expect(slots.take(1, address: "a") != nil)
        withExtendedLifetime(others) {}
    }

    @Test("log lines about refusals are limited for each address and in total, and say how many were left out")
    func lines() {
        var lines = LineAllowance()
        let first = (0..<100).count { _ in lines.take("a", now: .seconds(1)) != nil }
        #expect(first == 10)
        #expect(lines.take("b", now: .seconds(1)) == 90)
        let many = (0..<5_000).count { lines.take("\($0)", now: .seconds(2)) != nil }
        #expect(many < 600)
        #expect(lines.take("a", now: .seconds(70)) != nil)
    }
}
