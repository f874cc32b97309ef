import TestSupport
import Testing

@testable import S3Client

@Suite("Retries of requests to a bucket")
struct RetryTests {
    private func pauses(_ error: S3Error, seed: UInt64 = 1) -> [Duration] {
        var retries = S3Retries()
        var generator = SeededGenerator(seed: seed)
        var pauses: [Duration] = []
        while let pause = retries.pause(after: error, using: &generator) { pauses.append(pause) }
        return pauses
    }

    @Test("pauses double, have half of their length at random, and are limited in number")
    func growth() {
        for seed in 0..<50 {
            let pauses = pauses(S3Error(.throttled, ""), seed: UInt64(seed))
            #expect(pauses.count == S3Retries.tries - 1)
            for (index, pause) in pauses.enumerated() {
                let full = Duration.milliseconds(400 * (1 << index))
                #expect(pause >= full / 2 && pause < full)
            }
        }
        #expect(pauses(S3Error(.throttled, ""), seed: 1) != pauses(S3Error(.throttled, ""), seed: 2))
    }

    @Test("a silent store is retried less often than one that responds")
    func silence() {
        #expect(pauses(S3Error(.unavailable, "")).count == S3Retries.triesWithoutReply - 1)
        #expect(pauses(S3Error(.conflict, "")).count == S3Retries.tries - 1)
    }

    @Test(
        "a permanent failure is not retried",
        arguments: [
            .taken, .noKey, .noBucket, .denied, .wrongCredentials, .expiredCredentials, .wrongClock, .wrongRegion,
            .unsupported, .noRange, .full, .tooLong, .damaged, .invalid,
        ] as [S3Error.Code])
    func final(code: S3Error.Code) {
        #expect(pauses(S3Error(code, "")).isEmpty)
    }

    @Test("a pause that the store requests is respected, or left to the caller if it is long")
    func wish() {
        #expect(pauses(S3Error(.throttled, "", wait: .seconds(2))).allSatisfy { $0 >= .seconds(2) })
        #expect(pauses(S3Error(.throttled, "", wait: .seconds(60))).isEmpty)
    }
}
