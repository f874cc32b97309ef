import Foundation

/// The rules for the names of accounts: letters of any script, digits, punctuation and single spaces.
enum AccountName {
    /// The longest name in bytes of UTF-8.
    static let longest = 128

    /// The stored form of a name, also used for lookups, independent of how its accents were typed (NFC).
    static func stored(_ name: String) -> String { name.precomposedStringWithCanonicalMapping }

    /// The form in which two names must differ: in more than case.
    static func folded(_ name: String) -> String { stored(stored(name).lowercased()) }

    /// Refuses invisible characters and those that change the direction of surrounding text: control characters,
    /// formats such as bidirectional overrides, line breaks, code points without a character, and leading, trailing or
    /// repeated spaces.
    ///
    /// - Parameter name: In the stored form.
    static func isValid(_ name: String) -> Bool {
        guard (1...longest).contains(name.utf8.count), let first = name.unicodeScalars.first else { return false }
        var wasSpace = true
        for scalar in name.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned:
                return false
            case .spaceSeparator where scalar != " " || wasSpace: return false
            default: wasSpace = scalar == " "
            }
        }
        // A mark at the beginning would change the character before the name.
        return !wasSpace && !first.properties.generalCategory.isMark
    }
}

extension Unicode.GeneralCategory {
    fileprivate var isMark: Bool { [.nonspacingMark, .spacingMark, .enclosingMark].contains(self) }
}
