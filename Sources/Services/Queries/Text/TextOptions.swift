import Foundation

/// The options of a text comparison: `[c]` ignores case, `[d]` ignores marks on letters.
package struct TextOptions: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let ignoringCase = TextOptions(rawValue: 1)
    package static let ignoringMarks = TextOptions(rawValue: 2)

    /// The suffix of a relation, such as `[cd]`; empty if there is none.
    package var suffix: String {
        isEmpty ? "" : "[\(contains(.ignoringCase) ? "c" : "")\(contains(.ignoringMarks) ? "d" : "")]"
    }
}

/// Text in its comparison form: composed scalars, folded according to the options. Equal texts have equal forms.
package struct FoldedText: Hashable, Sendable {
    package let scalars: [UInt32]

    package init(_ text: String, _ options: TextOptions) {
        let folds = options.contains(.ignoringCase)
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            scalars = text.utf8.map { UInt32(folds && (0x41...0x5A).contains($0) ? $0 | 0x20 : $0) }
            return
        }
        var text = text.precomposedStringWithCanonicalMapping
        if folds { text = Self.withoutCase(text) }
        if options.contains(.ignoringMarks) { text = Self.withoutMarks(text) }
        scalars = text.precomposedStringWithCanonicalMapping.unicodeScalars.map(\.value)
    }

    init(scalars: [UInt32]) { self.scalars = scalars }

    /// Maps to lower, upper and lower case again, to unite letters kept apart by a single mapping, such as both forms
    /// of the small sigma.
    private static func withoutCase(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { $0 += $1.properties.lowercaseMapping.uppercased().lowercased() }
    }

    private static func withoutMarks(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.decomposedStringWithCanonicalMapping.unicodeScalars
        where scalar.properties.generalCategory != .nonspacingMark {
            result.append(scalar)
        }
        return String(result)
    }

    package func contains(_ part: FoldedText) -> Bool {
        let (count, length) = (part.scalars.count, scalars.count)
        guard count > 0 else { return true }
        guard count <= length else { return false }
        for start in 0...(length - count) where scalars[start] == part.scalars[0] {
            if scalars[start..<(start + count)].elementsEqual(part.scalars) { return true }
        }
        return false
    }

    package func hasPrefix(_ part: FoldedText) -> Bool { scalars.starts(with: part.scalars) }

    package func hasSuffix(_ part: FoldedText) -> Bool {
        scalars.count >= part.scalars.count && scalars.suffix(part.scalars.count).elementsEqual(part.scalars)
    }
}

extension FoldedText: Comparable {
    package static func < (left: FoldedText, right: FoldedText) -> Bool {
        left.scalars.lexicographicallyPrecedes(right.scalars)
    }
}
