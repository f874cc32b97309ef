/// The text compared by `==` and `!=`, parsed: `*` and `?` are wildcards, `\*`, `\?` and `\\` the characters
/// themselves. A backslash before any other character is a backslash.
struct EqualityText: Hashable, Sendable {
    let hasWildcards: Bool
    /// The text's meaning if it has no wildcards.
    let plain: String
    /// The same as a pattern of `LIKE`.
    let pattern: String

    init(_ text: String) {
        var (hasWildcards, plain, pattern) = (false, String.UnicodeScalarView(), String.UnicodeScalarView())
        var scalars = text.unicodeScalars.makeIterator()
        var next = scalars.next()
        while let scalar = next {
            next = scalars.next()
            if scalar == "\\" {
                let isEscape = next.map(Self.isSpecial) ?? false
                let meant = isEscape ? next ?? scalar : scalar
                if isEscape { next = scalars.next() }
                plain.append(meant)
                if Self.isSpecial(meant) { pattern.append("\\") }
                pattern.append(meant)
            } else {
                hasWildcards = hasWildcards || Self.isSpecial(scalar)
                plain.append(scalar)
                pattern.append(scalar)
            }
        }
        (self.hasWildcards, self.plain, self.pattern) = (hasWildcards, String(plain), String(pattern))
    }

    private static func isSpecial(_ scalar: Unicode.Scalar) -> Bool { scalar == "*" || scalar == "?" || scalar == "\\" }
}
