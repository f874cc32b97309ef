package import CloudModel
import Foundation

extension NameKey {
    /// Creates a name's key: its bytes, or if the container folds names (and the name is UTF-8) its text in NFC without
    /// case.
    ///
    /// The tables are the Swift runtime's, and devices with different runtimes have to agree. The cases and
    /// compositions of characters in Unicode 15 are stable, so a name with any further character is compared by its
    /// bytes.
    package init(_ name: ItemName, folding: Bool) {
        guard folding else {
            self.init(bytes: name.bytes)
            return
        }
        if name.bytes.allSatisfy({ $0 < 0x80 }) {
            self.init(bytes: name.bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 })
        } else if let text = String(validating: name.bytes, as: UTF8.self),
            text.unicodeScalars.allSatisfy(Self.isStable)
        {
            self.init(bytes: Array(Self.fold(text).utf8))
        } else {
            self.init(bytes: name.bytes)
        }
    }

    private static func isStable(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII || scalar.properties.age.map { $0.major <= 15 } ?? false
    }

    /// Mapping to lower, upper and lower case again joins characters kept apart by a single mapping: `ẞ` and `ß` with
    /// `ss`, `ς` with `σ`.
    private static func fold(_ text: String) -> String {
        var folded = ""
        for scalar in text.precomposedStringWithCanonicalMapping.unicodeScalars { folded += fold(scalar) }
        return folded.precomposedStringWithCanonicalMapping
    }

    private static func fold(_ scalar: Unicode.Scalar) -> String {
        // The dotless i is a separate letter outside Turkish too (CaseFolding.txt), though it shares its capital with
        // i.
        guard scalar != "\u{131}" else { return String(scalar) }
        return scalar.properties.lowercaseMapping.uppercased().lowercased()
    }
}
