package import Basics
package import CloudModel

/// How contents that lost are called, wherever they show: beside their document, or as items of their own after it
/// went.
package enum ConflictNaming {
    /// `name (conflict from DEVICE 2026-11-20 14.03.12).ext`, with ` 2`, ` 3`… before the extension while it is taken.
    /// The time is the modification's in UTC, so that every device shows the same name. At most 255 bytes.
    ///
    /// `taken` must know the folder's items and the siblings named before; name the versions of an item in their order.
    package static func siblingName(
        of name: ItemName, for version: ConflictVersion, taken: (ItemName) throws -> Bool
    ) rethrows -> ItemName {
        try self.name(of: name, from: version.authorName, at: version.modified, taken: taken)
    }

    /// The same for what a device of that name keeps beside what it lost to.
    package static func name(
        of name: ItemName, from deviceName: String, at time: Timestamp, taken: (ItemName) throws -> Bool
    ) rethrows -> ItemName {
        let suffix = " (conflict from \(safeName(deviceName)) \(date(time)))"
        var candidate = name.inserting(suffix)
        var number = 2
        while try taken(candidate) {
            candidate = name.inserting("\(suffix) \(number)")
            number += 1
        }
        return candidate
    }

    /// The id of the item that a conflict version becomes when its document is deleted. The same on every device, and
    /// apart from well-known ids like a random one.
    package static func derivedID(_ item: ItemID, _ version: VersionID) -> ItemID {
        var hash = StableHash(purpose: 2)
        hash.combine(item)
        hash.combine(version)
        return id(hash)
    }

    /// An id under which that item's alias is kept; edits name their base by digest, not by version.
    static func derivedID(_ item: ItemID, base: Digest) -> ItemID {
        var hash = StableHash(purpose: 3)
        hash.combine(item)
        hash.combine(base)
        return id(hash)
    }

    /// An id under which the item is kept whose name a new file wanted (``Fold/awaitTwin(_:of:)``).
    static func twinID(_ item: ItemID) -> ItemID {
        var hash = StableHash(purpose: 4)
        hash.combine(item)
        return id(hash)
    }

    private static func id(_ hash: StableHash) -> ItemID {
        let value = hash.value
        return ItemID(high: value.high | 1 << 63, low: value.low)
    }

    /// The device's name without what a file name must not have or a terminal would obey; at most 64 bytes.
    static func safeName(_ name: String) -> String {
        var safe = ""
        for character in name.lazy.map(safeCharacter) {
            guard safe.utf8.count + character.utf8.count <= 64 else { break }
            // Spaces at its ends would be lost on the eye.
            if character != " " || !safe.isEmpty { safe.append(character) }
        }
        while safe.last == " " { safe.removeLast() }
        return safe.isEmpty ? "unknown" : safe
    }

    private static func safeCharacter(_ character: Character) -> Character {
        let isUnsafe = character.unicodeScalars.contains { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
            default: scalar == "/"
            }
        }
        return isUnsafe ? "-" : character
    }

    /// `2026-11-20 14.03.12`, UTC.
    private static func date(_ time: Timestamp) -> String {
        let seconds = time.split.seconds
        let day = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
        let second = seconds - day * 86_400
        let date = CivilDate(daysSince1970: day)
        let clock = [second / 3600, second / 60 % 60, second % 60].map { padded($0, to: 2) }.joined(separator: ".")
        return "\(padded(date.year, to: 4))-\(padded(date.month, to: 2))-\(padded(date.day, to: 2)) \(clock)"
    }

    private static func padded(_ value: Int64, to width: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }
}
