/// Decides who may try a code or a password now: each address in bursts of five and then once in twelve seconds. There is no bound for
/// all together, which strangers could use up: with 80 random bits in a code they have nothing to guess. Pure; the caller brings the time.
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

    /// `now` is a time that only grows.
    mutating func allows(_ address: String, now: Duration) -> Bool {
        // Buckets that are full again say nothing. A table that is full of others is under attack from everywhere: it begins again.
        if buckets.count >= Self.maximumAddresses { buckets = buckets.filter { now - $0.value.at < .seconds(60) } }
        if buckets.count >= Self.maximumAddresses { buckets = [:] }
        var bucket = buckets[address] ?? Bucket(tries: 5, at: now)
        let isAllowed = bucket.take(now: now, every: 12, burst: 5)
        buckets[address] = bucket
        return isAllowed
    }
}
