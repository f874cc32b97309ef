package import Basics
import Foundation
package import LocalMetadata

/// When a device looks for garbage automatically: once a day for each container. Pure, except for storing the time of
/// the last look.
package enum CollectionSchedule {
    package static let period = Duration.seconds(86_400)

    /// Whether to look now. A device's first look comes after a day of rest, so that a new device does not list the
    /// cloud while it downloads.
    static func isDue(last: Timestamp?, now: Timestamp) -> Bool {
        guard let last else { return false }
        // A time of the future was noted before the clock was set back.
        return last > now || last.adding(period) <= now
    }

    /// Returns whether to look now, and notes it.
    package static func begin(
        _ container: ContainerID, now: Timestamp, _ transaction: MetadataTransaction
    ) throws -> Bool {
        let key = "looked for garbage \(container.value)"
        let last = try transaction.setting(key).flatMap { Int64(String(decoding: $0, as: UTF8.self)) }
            .map { Timestamp(nanoseconds: $0) }
        let isDue = isDue(last: last, now: now)
        if isDue || last == nil { try transaction.setSetting(key, .init("\(now.nanoseconds)".utf8)) }
        return isDue
    }
}
