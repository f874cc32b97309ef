import CloudModel

/// A document folder's name: `Ledger` on this device only, `Ledger_UUID_0f…` if it is shared.
///
/// Whether a document is shared follows from the name alone, even while signed out. The digits are the shared
/// database's identifier, so documents of the same name created on two devices do not collide. Names from peers and
/// names given by programs are parsed by the same rules.
struct PackageName: Hashable, Sendable, CustomStringConvertible {
    private static let divider = "_UUID_"
    /// With the divider and 32 digits it remains below a file name's 255 bytes.
    static let maximumBytes = 150

    /// The name shown to people.
    let title: String
    /// Nil for a local document.
    let identifier: String?

    var isShared: Bool { identifier != nil }
    var description: String { title + (identifier.map { Self.divider + $0 } ?? "") }

    /// Returns nil for an invalid title.
    init?(title: String, identifier: String? = nil) {
        guard Self.isTitle(title), identifier.map(Self.isIdentifier) ?? true else { return nil }
        (self.title, self.identifier) = (title, identifier)
    }

    /// Parses a folder name. Returns nil if the folder is no document.
    init?(_ text: String) {
        guard let range = text.firstRange(of: Self.divider) else {
            self.init(title: text)
            return
        }
        self.init(title: String(text[..<range.lowerBound]), identifier: String(text[range.upperBound...]))
    }

    /// The first character is a letter or a digit, so that no rule for temporary and hidden files excludes the folder
    /// from the cloud.
    private static func isTitle(_ title: String) -> Bool {
        guard let first = title.first, first.isLetter || first.isNumber, title.last != " ",
            title.utf8.count <= maximumBytes, !title.contains(divider)
        else { return false }
        return title.unicodeScalars.allSatisfy { $0 != "/" && $0.value >= 0x20 && $0.value != 0x7f }
    }

    private static func isIdentifier(_ text: String) -> Bool { ItemID(text)?.description == text }
}
