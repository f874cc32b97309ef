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

    @Test("pauses double, half of each by chance, and end")
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

    @Test("a store that is silent is asked less often than one that responds")
    func silence() {
        #expect(pauses(S3Error(.unavailable, "")).count == S3Retries.triesWithoutReply - 1)
        #expect(pauses(S3Error(.conflict, "")).count == S3Retries.tries - 1)
    }

    @Test(
        "what fails again is not sent again",
        arguments: [
            .taken, .noKey, .noBucket, .denied, .wrongCredentials, .expiredCredentials, .wrongClock, .wrongRegion,
            .unsupported, .noRange, .full, .tooLong, .damaged, .invalid,
        ] as [S3Error.Code])
    func final(code: S3Error.Code) {
        #expect(pauses(S3Error(code, "")).isEmpty)
    }

    @Test("a store's wish for a pause is respected, or left to the caller if it is long")
    func wish() {
        #expect(pauses(S3Error(.throttled, "", wait: .seconds(2))).allSatisfy { $0 >= .seconds(2) })
        #expect(pauses(S3Error(.throttled, "", wait: .seconds(60))).isEmpty)
    }
}
