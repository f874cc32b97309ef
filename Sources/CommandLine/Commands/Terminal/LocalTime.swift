import Basics
package import DaemonProtocol
import Glibc

/// Times for people: in their time zone (`TZ`, localtime(3)), to the second. JSON uses UTC.
package enum LocalTime {
    /// `2026-11-20 15:03:12`.
    package static func text(_ time: WireTime) -> String {
        var seconds = time_t(time.timestamp.nanoseconds / 1_000_000_000)
        var parts = tm()
        // A year beyond the C library's range is printed in UTC.
        guard localtime_r(&seconds, &parts) != nil else { return time.text }
        var buffer = [CChar](repeating: 0, count: 64)
        guard strftime(&buffer, buffer.count, "%Y-%m-%d %H:%M:%S", &parts) > 0 else { return time.text }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
