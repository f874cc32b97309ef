/// Reads the tokens of a ``Glob``, by the rules of git's `wildmatch.c`.
struct GlobParser {
    private let pattern: [UInt8]
    private let isPath: Bool
    private var index = 0
    private var tokens: [Glob.Token] = []

    init(_ pattern: [UInt8], isPath: Bool) {
        self.pattern = pattern
        self.isPath = isPath
    }

    /// Returns nil for an unterminated set, an unknown class, or a backslash at the end.
    mutating func parse() -> [Glob.Token]? {
        while index < pattern.count {
            switch pattern[index] {
            case UInt8(ascii: "?"):
                tokens.append(.any)
                index += 1
            case UInt8(ascii: "*"): addStars()
            case UInt8(ascii: "["):
                index += 1
                guard let set = parseSet() else { return nil }
                tokens.append(.set(set))
            default:
                guard let byte = takeByte() else { return nil }
                tokens.append(.byte(byte))
            }
        }
        return tokens
    }

    /// Takes a byte, or the byte after a backslash.
    private mutating func takeByte() -> UInt8? {
        if pattern[index] == Self.backslash { index += 1 }
        guard index < pattern.count else { return nil }
        defer { index += 1 }
        return pattern[index]
    }

    private mutating func addStars() {
        let first = index
        while has(UInt8(ascii: "*")) { index += 1 }
        let isWholeName =
            (first == 0 || pattern[first - 1] == Self.slash)
            && (index == pattern.count || has(Self.slash) || has(Self.backslash) && has(Self.slash, at: index + 1))
        guard isPath, index - first > 1, isWholeName else { return tokens.append(.star) }
        guard has(Self.slash) else { return tokens.append(.anything) }
        index += 1
        tokens += [.folders, .anything, .byte(Self.slash)]
    }

    /// Parses a set after its `[`.
    private mutating func parseSet() -> ByteSet? {
        var set = ByteSet()
        let isInverted = has(UInt8(ascii: "!")) || has(UInt8(ascii: "^"))
        if isInverted { index += 1 }
        // The last byte of the set, from which a range may continue; nil after a range or a class.
        var last: UInt8?
        // The first byte belongs to the set even if it is a bracket.
        repeat {
            guard index < pattern.count else { return nil }
            if has(UInt8(ascii: "-")), let start = last, index + 1 < pattern.count, !has(Self.end, at: index + 1) {
                index += 1
                guard let stop = takeByte() else { return nil }
                if start <= stop { set.insert(start...stop) }
                last = nil
            } else if let name = className() {
                guard set.insert(class: name) else { return nil }
                index = name.endIndex + 2
                last = nil
            } else {
                guard let byte = takeByte() else { return nil }
                set.insert(byte)
                last = byte
            }
        } while !has(Self.end)
        index += 1
        if isInverted { set.invert() }
        return set
    }

    /// Returns the name in `[:name:]` at this place; nil if there is none.
    private func className() -> ArraySlice<UInt8>? {
        guard has(UInt8(ascii: "[")), has(UInt8(ascii: ":"), at: index + 1) else { return nil }
        let start = index + 2
        guard let end = pattern[start...].firstIndex(of: Self.end), end > start,
            pattern[end - 1] == UInt8(ascii: ":")
        else { return nil }
        return pattern[start..<(end - 1)]
    }

    private func has(_ byte: UInt8) -> Bool { has(byte, at: index) }

    private func has(_ byte: UInt8, at index: Int) -> Bool { index < pattern.count && pattern[index] == byte }

    private static let backslash = UInt8(ascii: "\\")
    private static let slash = UInt8(ascii: "/")
    private static let end = UInt8(ascii: "]")
}
