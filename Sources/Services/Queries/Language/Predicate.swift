/// Selects the items of a query; docs/QUERIES.md describes the language.
package indirect enum Predicate: Hashable, Sendable {
    /// `TRUEPREDICATE`, `FALSEPREDICATE`.
    case always(Bool)
    case all([Predicate])
    case any([Predicate])
    case not(Predicate)
    case comparison(Comparison)

    /// Bounds of external predicates: of nesting, to limit recursion; of text and lists, to limit time.
    package static let maximumDepth = 64
    package static let maximumBytes = 16 << 10
    package static let maximumListCount = 1_000
}

/// A comparison of an attribute with one or several values.
package struct Comparison: Hashable, Sendable {
    package enum Relation: String, Sendable, CaseIterable {
        case equal = "=="
        case notEqual = "!="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
        case like = "LIKE"
        case matches = "MATCHES"
        case beginsWith = "BEGINSWITH"
        case endsWith = "ENDSWITH"
        case contains = "CONTAINS"
        /// Equals any of the values.
        case among = "IN"
        /// Is in the range from the first of the two values to the second, both included.
        case between = "BETWEEN"

        /// Whether the relation searches in text.
        package var isTextual: Bool {
            switch self {
            case .like, .matches, .beginsWith, .endsWith, .contains: true
            default: false
            }
        }
    }

    package let attribute: QueryAttribute
    package let relation: Relation
    package let options: TextOptions
    /// Two for `BETWEEN`, any number for `IN`, else one.
    package let values: [Literal]

    package init(
        _ attribute: QueryAttribute, _ relation: Relation, _ values: [Literal], options: TextOptions = []
    ) {
        self.attribute = attribute
        self.relation = relation
        self.options = options
        self.values = values
    }
}

/// A value in a predicate.
package enum Literal: Hashable, Sendable {
    case text(String)
    case number(Double)
    case flag(Bool)
    /// Nanoseconds since 1970 UTC.
    case date(Int64)
    /// The absence of a value.
    case null
}

/// The value of a `%@` or `%K` in a format.
package enum PredicateArgument: Hashable, Sendable {
    case value(Literal)
    case list([Literal])
}

/// Why text is not a predicate, and where.
package struct PredicateError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The problem, as a clause without a period.
    package let message: String
    /// The position of the character concerned in the text, from 1.
    package let position: Int

    package init(_ message: String, at position: Int) {
        self.message = message
        self.position = position
    }

    package var description: String { "invalid query at character \(position): \(message)" }
}
