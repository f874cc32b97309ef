import Glibc

/// The machine's clock, `clock_gettime(2)` CLOCK_REALTIME.
package struct SystemTime: TimeSource {
    package init() {}

    package func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(time)
    }
}
