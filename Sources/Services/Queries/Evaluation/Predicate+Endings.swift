extension Predicate {
    /// The possible endings of matching items' names (the text after the last dot, in lower-case ASCII; empty without a
    /// dot); nil if any. A change is thus evaluated only for the queries it can concern.
    package var endings: Set<String>? {
        switch self {
        case .always(let value): value ? nil : []
        case .all(let parts):
            parts.compactMap(\.endings).reduce(nil as Set<String>?) { known, endings in
                known.map { $0.intersection(endings) } ?? endings
            }
        case .any(let parts): Self.union(parts.map(\.endings))
        case .not: nil
        case .comparison(let comparison): comparison.endings
        }
    }

    private static func union(_ parts: [Set<String>?]) -> Set<String>? {
        var union: Set<String> = []
        for part in parts {
            guard let part else { return nil }
            union.formUnion(part)
        }
        return union
    }

    /// Returns the ending of a name; nil if the ending is not plain ASCII, as it may then have many equal forms.
    package static func ending(of name: [UInt8]) -> String? {
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")) else {
            return name.allSatisfy { $0 < 0x80 } ? "" : nil
        }
        return lowercased(name[(dot + 1)...])
    }

    fileprivate static func lowercased(_ bytes: ArraySlice<UInt8>) -> String? {
        guard bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
        return String(decoding: bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}

extension Comparison {
    fileprivate var endings: Set<String>? {
        var endings: Set<String> = []
        for case .text(let text) in values {
            guard let ending = ending(of: text) else { return nil }
            endings.insert(ending)
        }
        return endings.isEmpty ? nil : endings
    }

    private func ending(of text: String) -> String? {
        let bytes = Array(text.utf8)
        switch (attribute, relation) {
        case (.name, .among): return Predicate.ending(of: bytes)
        case (.name, .endsWith): return bytes.contains(UInt8(ascii: ".")) ? Predicate.ending(of: bytes) : nil
        case (.name, .equal) where !bytes.contains(where: Self.isSpecial): return Predicate.ending(of: bytes)
        case (.name, .like), (.name, .equal):
            // Only the text after the last special character is known.
            let tail = bytes.lastIndex(where: Self.isSpecial).map { bytes[($0 + 1)...] } ?? bytes[...]
            return tail.contains(UInt8(ascii: ".")) ? Predicate.ending(of: Array(tail)) : nil
        case (.fileExtension, .equal), (.fileExtension, .among):
            let hasWildcards = relation == .equal && bytes.contains(where: Self.isSpecial)
            return hasWildcards || bytes.isEmpty || bytes.contains(UInt8(ascii: "."))
                ? nil : Predicate.lowercased(bytes[...])
        default: return nil
        }
    }

    private static func isSpecial(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "*") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "\\")
    }
}
