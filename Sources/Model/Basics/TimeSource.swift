import Glibc

/// The source of the time of day for a component; tests pass a manual clock.
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
