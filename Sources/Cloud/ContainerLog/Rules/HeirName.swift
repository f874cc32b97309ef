package import Basics
import CloudModel

/// The suffix added by the fold to the name of an item promoted from a conflict version of a deleted document. The
/// names are in the trees of existing logs, so a case never changes. A device's earlier name for the version is
/// independent of it (`SiblingName` in Sync).
package enum HeirName: Sendable {
    case deviceAndTime

    /// Returns ` (conflict from DEVICE 2026-11-20 14.03.12)`. The time is the modification's in UTC, so it is the same
    /// on every device.
    package func suffix(from deviceName: String, at time: Timestamp) -> String {
        " (conflict from \(safeName(deviceName)) \(text(time)))"
    }

    /// Returns the device's name without characters forbidden in file names or interpreted by terminals; at most 64
    /// bytes.
    private func safeName(_ name: String) -> String {
        var safe = ""
        for character in name.lazy.map(safeCharacter) {
            guard safe.utf8.count + character.utf8.count <= 64 else { break }
            // Spaces at either end would be invisible.
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

    /// Returns a time in UTC, such as `2026-11-20 14.03.12`.
    private func text(_ time: Timestamp) -> String {
        let seconds = time.split.seconds
        let day = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
        let second = seconds - day * 86_400
        let date = CivilDate(daysSince1970: day)
        let clock = [second / 3600, second / 60 % 60, second % 60].map { padded($0, to: 2) }.joined(separator: ".")
        return "\(padded(date.year, to: 4))-\(padded(date.month, to: 2))-\(padded(date.day, to: 2)) \(clock)"
    }

    private func padded(_ value: Int64, to width: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }
}
