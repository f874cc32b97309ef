import Chunking
import CloudModel

/// A cache of the most recently used manifests, up to a number of bytes. Pure.
struct ManifestCache {
    private let limit: Int
    private var lists: [ChunkPlace: ManifestList] = [:]
    /// The least recently used is first.
    private var order: [ChunkPlace] = []
    private(set) var memory = 0

    init(limit: Int) { self.limit = limit }

    mutating func list(of place: ChunkPlace) -> ManifestList? {
        guard let list = lists[place] else { return nil }
        order.removeAll { $0 == place }
        order.append(place)
        return list
    }

    /// Caches a manifest, unless it is larger than the whole cache.
    mutating func keep(_ list: ManifestList, of place: ChunkPlace) {
        remove(place)
        guard list.memory <= limit else { return }
        while memory + list.memory > limit, let oldest = order.first { remove(oldest) }
        lists[place] = list
        order.append(place)
        memory += list.memory
    }

    private mutating func remove(_ place: ChunkPlace) {
        guard let list = lists.removeValue(forKey: place) else { return }
        memory -= list.memory
        order.removeAll { $0 == place }
    }
}

/// Bounds how much decompression an account can cause: a burst at first, then a number of bytes per second. Pure; the
/// caller passes the time.
struct InflationAllowance {
    /// 256 MiB are the manifests of some 1.8 TiB, 16 MiB those of 120 GiB.
    static let burst = 256 << 20
    static let perSecond = 16 << 20
    private static let maximumAccounts = 10_000

    private struct Bucket {
        var bytes: Double
        var at: Duration
    }

    private var buckets: [AccountID: Bucket] = [:]

    /// Takes `bytes` and returns true, or takes none and returns false if too few are left. `now` is monotonic.
    mutating func take(_ bytes: Int, for account: AccountID, now: Duration) -> Bool {
        if buckets.count >= Self.maximumAccounts { buckets = buckets.filter { now - $0.value.at < .seconds(60) } }
        var bucket = buckets[account] ?? Bucket(bytes: Double(Self.burst), at: now)
        let passed = max(0, (now - bucket.at) / .seconds(1))
        bucket.bytes = min(Double(Self.burst), bucket.bytes + passed * Double(Self.perSecond))
        bucket.at = now
        defer { buckets[account] = bucket }
        guard bucket.bytes >= Double(bytes) else { return false }
        bucket.bytes -= Double(bytes)
        return true
    }
}
