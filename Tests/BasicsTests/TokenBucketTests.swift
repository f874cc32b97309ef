import Basics
import Testing

@Suite("Token buckets")
struct TokenBucketTests {
    private func bucket() -> TokenBucket { TokenBucket(capacity: 3, interval: .seconds(10), now: .seconds(100)) }

    private func take(_ bucket: inout TokenBucket, at seconds: [Int64]) -> [Bool] {
        seconds.map { bucket.take(at: .seconds($0)) }
    }

    @Test("a burst of the bucket's capacity passes, then one event for each interval")
    func burst() {
        var bucket = bucket()
        let taken = take(&bucket, at: [100, 100, 100, 100, 109, 110, 110])
        #expect(taken == [true, true, true, false, false, true, false])
    }

    @Test("the bucket never holds more than its capacity")
    func full() {
        var bucket = bucket()
        let taken = take(&bucket, at: [1000, 1000, 1000, 1000])
        #expect(taken == [true, true, true, false])
        let isFull = [1029, 1030, 1_000_000].map { bucket.isFull(at: .seconds($0)) }
        #expect(isFull == [false, true, true])
    }

    @Test("a clock that was set back neither adds tokens nor removes any")
    func setBack() {
        var bucket = bucket()
        let taken = take(&bucket, at: [100, 0, 0, 0])
        #expect(taken == [true, true, true, false])
    }

    @Test("an event that cannot be delayed uses the tokens that are left")
    func atMost() {
        var bucket = TokenBucket(capacity: 1, interval: .seconds(10), now: .zero)
        bucket.takeAtMost(at: .zero)
        bucket.takeAtMost(at: .zero)
        let hasToken = [9, 10].map { bucket.hasToken(at: .seconds($0)) }
        #expect(hasToken == [false, true])
    }

    @Test("the earliest and the latest times of a clock do no harm")
    func extremes() {
        var bucket = bucket()
        let taken = take(&bucket, at: [.max, .min, .max])
        #expect(taken == [true, true, true])
    }
}
