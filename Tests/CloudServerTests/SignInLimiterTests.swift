import Testing

@testable import CloudServer

@Suite("The bound on tries to sign in")
struct SignInLimiterTests {
    @Test("an address has five tries, then one in twelve seconds; others are not held up by it")
    func address() {
        var limiter = SignInLimiter()
        let first = (0..<100).count { _ in limiter.allows("a", now: .seconds(1)) }
        #expect(first == 5)
        let isOtherAllowed = limiter.allows("b", now: .seconds(1))
        #expect(isOtherAllowed)
        let later = (2...62).count { limiter.allows("a", now: .seconds($0)) }
        #expect(later == 5)
    }

    @Test("however many addresses try, all together have a bound, and the table too")
    func all() {
        var limiter = SignInLimiter()
        let allowed = (0..<50_000).count { limiter.allows("\($0)", now: .seconds(1)) }
        #expect((100...105).contains(allowed))
        let isLaterAllowed = limiter.allows("later", now: .seconds(10))
        #expect(isLaterAllowed)
    }
}
