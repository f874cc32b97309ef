package import Glibc

/// Nanoseconds since 1970 (UTC), as file systems keep them. Years 1677 to 2262; what lies beyond is clamped.
package struct Timestamp: Hashable, Comparable, Sendable {
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    package init(seconds: Int64, nanoseconds: Int64 = 0) {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carry) = product.addingReportingOverflow(nanoseconds)
        self.nanoseconds = overflow || carry ? (seconds < 0 ? .min : .max) : sum
    }

    package init(_ time: timespec) { self.init(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec)) }

    package static let zero = Timestamp(nanoseconds: 0)

    /// Seconds rounded down, and the nanoseconds above them (0 to 999,999,999), as `timespec` wants them.
    package var split: (seconds: Int64, nanoseconds: Int64) {
        let second: Int64 = 1_000_000_000
        let floor = nanoseconds >= 0 ? nanoseconds / second : (nanoseconds + 1) / second - 1
        return (floor, nanoseconds - floor &* second)
    }

    package var timespec: timespec {
        let parts = split
        return .init(tv_sec: Int(parts.seconds), tv_nsec: Int(parts.nanoseconds))
    }

    package static func < (left: Timestamp, right: Timestamp) -> Bool { left.nanoseconds < right.nanoseconds }

    package func adding(_ duration: Duration) -> Timestamp {
        let parts = duration.components
        let delta = parts.seconds.multipliedReportingOverflow(by: 1_000_000_000).partialValue
        let sum = nanoseconds.addingReportingOverflow(delta &+ parts.attoseconds / 1_000_000_000)
        return Timestamp(nanoseconds: sum.overflow ? (delta < 0 ? .min : .max) : sum.partialValue)
    }
}

/// Where a component gets the time of day from; tests hand in a clock that moves when told.
package protocol TimeSource: Sendable {
    func now() -> Timestamp
}

/// The machine's clock, `clock_gettime(2)` CLOCK_REALTIME.
package struct SystemTime: TimeSource {
    package init() {}

    package func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(time)
    }
}
