/// Checks at parse time whether a comparison makes sense, so that it does not silently match nothing.
extension PredicateParser {
    func bound(
        _ attribute: QueryAttribute, _ relation: Comparison.Relation, _ options: TextOptions, _ values: [Literal],
        _ isList: Bool, _ place: Int
    ) throws(PredicateError) -> Comparison {
        let takesList = relation == .among || relation == .between
        guard isList == takesList else {
            throw PredicateError(
                takesList ? "\(relation.rawValue) takes a list, such as {1, 2}" : "a list needs IN or BETWEEN",
                at: place
            )
        }
        guard relation != .between || values.count == 2 else {
            throw PredicateError("BETWEEN takes two values, such as {1, 2}", at: place)
        }
        let isText = attribute.kind == .text || attribute.kind == .list
        guard isText || !relation.isTextual else {
            throw PredicateError("\(relation.rawValue) applies to text, and \(attribute.name) is not text", at: place)
        }
        guard isText || options.isEmpty else {
            throw PredicateError("\(options.suffix) applies to text, and \(attribute.name) is not text", at: place)
        }
        guard attribute.kind != .flag || [.equal, .notEqual].contains(relation) else {
            throw PredicateError("\(attribute.name) is true or false: compare it with == or !=", at: place)
        }
        var converted: [Literal] = []
        for value in values { converted.append(try self.value(value, for: attribute, relation, place)) }
        if relation == .matches, case .text(let pattern) = converted.first {
            do throws(PatternError) { _ = try TextPattern(pattern, options) } catch {
                throw PredicateError(
                    "the pattern is wrong at its character \(error.offset + 1): \(error.message)", at: place)
            }
        }
        return Comparison(attribute, relation, converted, options: options)
    }

    /// Converts a value to the type of the attribute.
    private func value(
        _ value: Literal, for attribute: QueryAttribute, _ relation: Comparison.Relation, _ place: Int
    ) throws(PredicateError) -> Literal {
        switch (attribute.kind, value) {
        case (_, .null) where relation == .equal || relation == .notEqual: return .null
        case (.text, .text), (.list, .text), (.number, .number), (.flag, .flag), (.date, .date): return value
        case (.flag, .number(let number)) where number == 0 || number == 1: return .flag(number == 1)
        case (.date, .text(let text)):
            guard let time = CalendarTime.nanoseconds(text) else {
                throw PredicateError("“\(text)” is not a time such as 2026-11-21T14:03:12Z", at: place)
            }
            return .date(time)
        default: throw PredicateError("\(attribute.name) is \(attribute.kind.noun); compare it with one", at: place)
        }
    }
}

extension QueryAttribute.Kind {
    fileprivate var noun: String {
        switch self {
        case .text: "a text"
        case .list: "a list of texts"
        case .number: "a number"
        case .flag: "a truth value"
        case .date: "a time"
        }
    }
}

extension Comparison.Relation {
    /// The relation with its sides exchanged; nil if only one side can be an attribute.
    var mirrored: Comparison.Relation? {
        switch self {
        case .equal, .notEqual: self
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        // People write 'tag' IN tags for a list containing the tag, and it is parsed accordingly.
        case .like, .matches, .beginsWith, .endsWith, .contains, .among, .between: nil
        }
    }
}
