import Testing

@testable import CloudServer

@Suite("Limit on attempts to sign in")
struct SignInLimiterTests {
    @Test("an address has five attempts, then one every twelve seconds; other addresses are not delayed")
    func address() {
        var limiter = SignInLimiter()
        let first = (0..<100).count { _ in limiter.allows("a", now: .seconds(1)) }
        #expect(first == 5)
        let isOtherAllowed = limiter.allows("b", now: .seconds(1))
        #expect(isOtherAllowed)
        let later = (2...62).count { limiter.allows("a", now: .seconds($0)) }
        #expect(later == 5)
    }

    @Test("however many addresses try codes, another address with a valid code is let in, and the table stays bounded")
    func strangers() {
        var limiter = SignInLimiter()
        for number in 0..<25 { for _ in 0..<20 { _ = limiter.allows("10.0.0.\(number)", now: .seconds(1)) } }
        let isAllowed = limiter.allows("fresh", now: .seconds(1))
        #expect(isAllowed)
        let many = (0..<50_000).count { limiter.allows("\($0)", now: .seconds(2)) }
        #expect(many == 50_000)
    }

    @Test("all addresses of one /64 share a limit, and another /64 has its own")
    func networks() {
        var limiter = SignInLimiter()
        let tries = (1...100).count { limiter.allows(PeerAddress.group(of: "2001:db8:1:2::\($0)"), now: .seconds(1)) }
        #expect(tries == 5)
        let isOtherAllowed = limiter.allows(PeerAddress.group(of: "2001:db8:1:3::1"), now: .seconds(1))
        #expect(isOtherAllowed)
    }
}
