package import Glibc

/// Nanoseconds since 1970 (UTC), as kept by file systems.
///
/// Every `Int64` is a valid time: 1677-09-21T00:12:43.145224192Z to 2262-04-11T23:47:16.854775807Z. The log, the
/// database and the wire store that number unchanged and reject none. Conversions from wider types, and sums, saturate
/// to the first or the last time. All devices share this rule, so that an entry means the same time on each of them
/// (docs/LOG.md).
package struct Timestamp: Hashable, Comparable, Sendable {
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    package init(seconds: Int64, nanoseconds: Int64 = 0) {
        self.nanoseconds = Int64(clamping: Int128(seconds) * Self.second + Int128(nanoseconds))
    }

    private static let second: Int128 = 1_000_000_000

    package init(_ time: timespec) { self.init(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec)) }

    package static let zero = Timestamp(nanoseconds: 0)

    /// The seconds rounded down, and the remaining nanoseconds (0 to 999,999,999), as in `timespec`. Defined for every
    /// time.
    package var split: (seconds: Int64, nanoseconds: Int64) {
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return rest < 0 ? (seconds - 1, rest + 1_000_000_000) : (seconds, rest)
    }

    package var timespec: timespec {
        let parts = split
        return .init(tv_sec: Int(parts.seconds), tv_nsec: Int(parts.nanoseconds))
    }

    package static func < (left: Timestamp, right: Timestamp) -> Bool { left.nanoseconds < right.nanoseconds }

    /// Returns the time later by `duration`, or the nearest representable one.
    package func adding(_ duration: Duration) -> Timestamp {
        let (seconds, attoseconds) = duration.components
        let sum = Int128(nanoseconds) + Int128(seconds) * Self.second + Int128(attoseconds / 1_000_000_000)
        return Timestamp(nanoseconds: Int64(clamping: sum))
    }

    /// Returns the time passed since `earlier`; negative if that is later.
    package func duration(since earlier: Timestamp) -> Duration {
        let (one, other) = (split, earlier.split)
        return .seconds(one.seconds - other.seconds) + .nanoseconds(one.nanoseconds - other.nanoseconds)
    }
}
