extension Predicate {
    /// Reads a person's input: a predicate, or words without any sign of a predicate, which must occur in the name
    /// (`CONTAINS[cd]`). If a word has a wildcard, the words are the whole name (`==[cd]`).
    package init(typed text: String) throws(PredicateError) {
        do throws(PredicateError) { self = try Predicate(parsing: text) } catch {
            let text = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            guard !text.isEmpty, !Self.looksLikePredicate(text), text.utf8.count <= Self.maximumBytes else {
                throw error
            }
            let hasWildcards = EqualityText(text).hasWildcards
            self = .comparison(
                Comparison(
                    .name, hasWildcards ? .equal : .contains, [.text(text)], options: [.ignoringCase, .ignoringMarks]))
        }
    }

    /// Returns whether text was meant as a predicate: it contains quotes or comparisons.
    private static func looksLikePredicate(_ text: String) -> Bool {
        guard !text.contains(where: { "=<>'\"".contains($0) }) else { return true }
        let words = text.split(whereSeparator: \.isWhitespace)
        return words.dropFirst().contains { word in
            let relation = word.prefix { $0 != "[" }.uppercased()
            return Comparison.Relation(rawValue: relation).map { $0.isTextual || $0 == .among || $0 == .between }
                ?? false
                && QueryAttribute(name: String(words[0].drop { "(!".contains($0) })) != nil
        }
    }

    /// Returns whether the predicate tests an attribute.
    package func mentions(_ attribute: QueryAttribute) -> Bool {
        switch self {
        case .always: false
        case .all(let parts), .any(let parts): parts.contains { $0.mentions(attribute) }
        case .not(let inner): inner.mentions(attribute)
        case .comparison(let comparison): comparison.attribute == attribute
        }
    }
}
