package import Basics
import CloudModel

/// What the fold adds to the name of an item that was a conflict version of a deleted document. The names are in the trees of existing
/// logs, so a case never changes. How a device shows a version before that is its own affair (`SiblingName` in Sync).
package enum HeirName: Sendable {
    case deviceAndTime

    /// ` (conflict from DEVICE 2026-11-20 14.03.12)`. The time is the modification's in UTC, so that it is the same on every device.
    package func suffix(from deviceName: String, at time: Timestamp) -> String {
        " (conflict from \(safeName(deviceName)) \(date(time)))"
    }

    /// The device's name without what a file name must not have or a terminal would obey; at most 64 bytes.
    private func safeName(_ name: String) -> String {
        var safe = ""
        for character in name.lazy.map(safeCharacter) {
            guard safe.utf8.count + character.utf8.count <= 64 else { break }
            // Spaces at its ends would be lost on the eye.
            if character != " " || !safe.isEmpty { safe.append(character) }
        }
        while safe.last == " " { safe.removeLast() }
        return safe.isEmpty ? "unknown" : safe
    }

    private func safeCharacter(_ character: Character) -> Character {
        let isUnsafe = character.unicodeScalars.contains { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
            default: scalar == "/"
            }
        }
        return isUnsafe ? "-" : character
    }

    /// `2026-11-20 14.03.12`, UTC.
    private func date(_ time: Timestamp) -> String {
        let seconds = time.split.seconds
        let day = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
        let second = seconds - day * 86_400
        let (year, month, dayOfMonth) = civil(day)
        let clock = [second / 3600, second / 60 % 60, second % 60].map { padded($0, to: 2) }.joined(separator: ".")
        return "\(padded(year, to: 4))-\(padded(month, to: 2))-\(padded(dayOfMonth, to: 2)) \(clock)"
    }

    /// Days since 1970 to a Gregorian date (H. Hinnant, "chrono-compatible low-level date algorithms",
    /// civil_from_days).
    private func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    private func padded(_ value: Int64, to width: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }
}
