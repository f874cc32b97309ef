/// Decides who may try a sign-in code now: each address in bursts of five and then once in twelve seconds, all together once in a
/// fifth of a second. With 80 random bits in a code that leaves nothing to guess. Pure; the caller brings the time.
struct SignInLimiter {
    private struct Bucket {
        var tries: Double
        var at: Duration

        mutating func take(now: Duration, every pause: Double, burst: Double) -> Bool {
            let passed = max(0, (now - at) / .seconds(1))
            tries = min(burst, tries + passed / pause)
            at = now
            guard tries >= 1 else { return false }
            tries -= 1
            return true
        }
    }

    private static let maximumAddresses = 10_000
    private var buckets: [String: Bucket] = [:]
    private var all = Bucket(tries: 100, at: .zero)

    /// `now` is a time that only grows.
    mutating func allows(_ address: String, now: Duration) -> Bool {
        // A table that is full of addresses is under attack: the bound for all still holds.
        if buckets.count >= Self.maximumAddresses { buckets = buckets.filter { now - $0.value.at < .seconds(60) } }
        if buckets.count >= Self.maximumAddresses { buckets = [:] }
        var bucket = buckets[address] ?? Bucket(tries: 5, at: now)
        let isAllowed = bucket.take(now: now, every: 12, burst: 5)
        buckets[address] = bucket
        return isAllowed && all.take(now: now, every: 0.2, burst: 100)
    }
}
