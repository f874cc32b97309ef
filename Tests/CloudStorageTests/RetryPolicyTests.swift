import CloudStorage
import Testing

@Suite("When to retry a request to a cloud")
struct RetryPolicyTests {
    /// A random number generator with a constant result.
    struct Constant: RandomNumberGenerator {
        let value: UInt64
        mutating func next() -> UInt64 { value }
    }

    private func pauses(_ code: CloudError.Code, chance: UInt64, failures: [Int]) -> [Duration?] {
        var generator = Constant(value: chance)
        let policy = RetryPolicy(first: .seconds(2), longest: .seconds(60))
        return failures.map { policy.pause(after: $0, code, using: &generator) }
    }

    @Test("Without jitter pauses double from half of the first up to half of the longest")
    func doubling() {
        let expected: [Duration] = [1, 2, 4, 8, 16, 30, 30].map { .seconds($0) }
        #expect(pauses(.offline, chance: 0, failures: Array(1...7)) == expected)
        #expect(pauses(.failed, chance: 0, failures: [.max]) == [.seconds(30)])
    }

    @Test("Jitter adds up to the other half, so devices do not retry at the same time")
    func jitter() {
        for seconds in zip(pauses(.offline, chance: .max, failures: Array(1...6)), [2, 4, 8, 16, 32, 60]) {
            guard let pause = seconds.0 else { Issue.record("no pause"); continue }
            #expect(pause > .seconds(seconds.1) * 0.99 && pause <= .seconds(seconds.1))
        }
    }

    @Test(
        "An error that a user has to fix is retried at the longest pause from the first attempt on",
        arguments: [
            CloudError.Code.quota, .readOnly, .unauthorized,
        ])
    func slow(code: CloudError.Code) {
        #expect(pauses(code, chance: 0, failures: [1, 9]) == [.seconds(30), .seconds(30)])
    }

    @Test(
        "A permanent error is not retried",
        arguments: [
            CloudError.Code.notFound, .damaged, .tooNew, .foreign,
        ])
    func never(code: CloudError.Code) {
        #expect(pauses(code, chance: 0, failures: [1, 9]) == [nil, nil])
    }

    @Test(
        "New work shortens the first pauses, and later ones down to a minimum, which is highest if a user has to act"
    )
    func floor() {
        let policy = RetryPolicy()
        #expect([1, 2].map { policy.floor(after: $0, .offline) } == [.zero, .zero])
        #expect(
            [3, 4, 6, .max].map { policy.floor(after: $0, .offline) }
                == [125, 250, 1_000, 1_000].map { .milliseconds($0) })
        #expect([2, 3, 4, .max].map { policy.floor(after: $0, .unauthorized) } == [0, 1, 2, 5].map { .seconds($0) })
    }
}
