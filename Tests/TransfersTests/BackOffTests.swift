import Testing

@testable import Transfers

@Suite struct BackOffTests {
    @Test("Pauses double up to the longest, and a success starts over")
    func growth() {
        var backOff = BackOff()
        var pauses: [Duration] = []
        for _ in 0..<10 {
            backOff.failed(now: .zero, jitter: 1)
            pauses.append(backOff.resumeAt ?? .zero)
            backOff.tick(now: .seconds(60))
        }
        #expect(pauses.prefix(4) == [.milliseconds(250), .milliseconds(500), .seconds(1), .seconds(2)])
        #expect(pauses.last == BackOff.longest)
        backOff.succeeded()
        backOff.failed(now: .zero, jitter: 0)
        #expect(backOff.resumeAt == .milliseconds(125))
    }

    @Test("However often it fails, the pause does not overflow")
    func manyFailures() {
        var backOff = BackOff()
        for _ in 0..<1_000 {
            backOff.failed(now: .zero, jitter: 1)
            #expect(backOff.resumeAt ?? .zero <= BackOff.longest)
            backOff.resume()
        }
    }
}
