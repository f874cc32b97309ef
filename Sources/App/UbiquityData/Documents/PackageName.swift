import CloudModel

/// The name of the folder that is a document: `Ledger` on this device only, `Ledger_UUID_0f…` if it is shared.
///
/// Whether a document is shared follows from the name alone, also while the device is signed out. The digits are the identifier of the shared
/// database, so two devices that make documents of one name do not collide. Names that peers wrote are parsed by the same rules as those that
/// programs give.
struct PackageName: Hashable, Sendable, CustomStringConvertible {
    private static let divider = "_UUID_"
    /// With the divider and 32 digits it remains below the 255 bytes of a file's name.
    static let maximumBytes = 150

    /// What people see.
    let title: String
    /// Nil for a document of this device only.
    let identifier: String?

    var isShared: Bool { identifier != nil }
    var description: String { title + (identifier.map { Self.divider + $0 } ?? "") }

    /// Returns nil for a title that cannot be a document's.
    init?(title: String, identifier: String? = nil) {
        guard Self.isTitle(title), identifier.map(Self.isIdentifier) ?? true else { return nil }
        (self.title, self.identifier) = (title, identifier)
    }

    /// Parses the name of a folder. Returns nil for a folder that is no document.
    init?(_ text: String) {
        guard let range = text.firstRange(of: Self.divider) else {
            self.init(title: text)
            return
        }
        self.init(title: String(text[..<range.lowerBound]), identifier: String(text[range.upperBound...]))
    }

    /// The first character is a letter or a digit, so that no rule for temporary and hidden files excludes the folder from the cloud.
    private static func isTitle(_ title: String) -> Bool {
        guard let first = title.first, first.isLetter || first.isNumber, title.last != " ",
            title.utf8.count <= maximumBytes, !title.contains(divider)
        else { return false }
        return title.unicodeScalars.allSatisfy { $0 != "/" && $0.value >= 0x20 && $0.value != 0x7f }
    }

    private static func isIdentifier(_ text: String) -> Bool { ItemID(text)?.description == text }
}
