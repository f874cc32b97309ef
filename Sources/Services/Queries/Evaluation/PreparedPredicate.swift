/// A predicate prepared for evaluating many items: texts are folded and patterns compiled once.
package indirect enum PreparedPredicate: Sendable {
    case always(Bool)
    case all([PreparedPredicate])
    case any([PreparedPredicate])
    case not(PreparedPredicate)
    case test(QueryAttribute, ValueTest)

    package init(_ predicate: Predicate) {
        switch predicate {
        case .always(let value): self = .always(value)
        case .all(let parts): self = .all(parts.map(PreparedPredicate.init))
        case .any(let parts): self = .any(parts.map(PreparedPredicate.init))
        case .not(let inner): self = .not(PreparedPredicate(inner))
        case .comparison(let comparison): self = .test(comparison.attribute, ValueTest(comparison))
        }
    }

    package func matches(_ subject: some QuerySubject) -> Bool {
        switch self {
        case .always(let value): value
        case .all(let parts): parts.allSatisfy { $0.matches(subject) }
        case .any(let parts): parts.contains { $0.matches(subject) }
        case .not(let inner): !inner.matches(subject)
        case .test(let attribute, let test): test.accepts(subject.value(of: attribute))
        }
    }
}

/// A comparison's test of a single value.
package enum ValueTest: Sendable {
    case text(TextOptions, TextTest)
    /// Compares numbers, times and truth values by their order.
    case order(OrderTest)
    case isNull(Bool)

    fileprivate init(_ comparison: Comparison) {
        if comparison.values == [.null] {
            self = .isNull(comparison.relation == .equal)
        } else if comparison.attribute.kind == .text || comparison.attribute.kind == .list {
            self = .text(comparison.options, TextTest(comparison))
        } else {
            self = .order(OrderTest(comparison.relation, comparison.values.map(OrderTest.rank)))
        }
    }

    /// Returns whether a value passes. A missing value differs from everything, and has no other relation to anything.
    fileprivate func accepts(_ value: QueryValue?) -> Bool {
        guard let value else { return isMetByNothing }
        switch (self, value) {
        case (.isNull(let wanted), _): return !wanted
        case (.text(let options, let test), .text(let text)): return test.accepts(FoldedText(text, options))
        case (.text(let options, .not(let test)), .list(let texts)):
            return !texts.contains { test.accepts(FoldedText($0, options)) }
        case (.text(let options, let test), .list(let texts)):
            return texts.contains { test.accepts(FoldedText($0, options)) }
        case (.order(let test), .number(let number)): return test.accepts(number)
        case (.order(let test), .flag(let flag)): return test.accepts(flag ? 1 : 0)
        case (.order(let test), .date(let time)): return test.accepts(time: time)
        default: return false
        }
    }

    private var isMetByNothing: Bool {
        switch self {
        case .isNull(let wanted): wanted
        case .text(_, .not): true
        case .order(let test): test.relation == .notEqual
        case .text: false
        }
    }
}

package indirect enum TextTest: Sendable {
    case equals(Set<FoldedText>)
    case not(TextTest)
    case order(Comparison.Relation, FoldedText)
    case between(FoldedText, FoldedText)
    case prefix(FoldedText)
    case suffix(FoldedText)
    case contains(FoldedText)
    case like(WildcardBox)
    case matches(PatternBox)
    case never

    /// Boxes that keep their values out of the module's interface.
    package struct WildcardBox: Sendable { let value: Wildcard }
    package struct PatternBox: Sendable { let value: TextPattern }

    fileprivate init(_ comparison: Comparison) {
        let options = comparison.options
        let texts = comparison.values.compactMap { value -> String? in
            if case .text(let text) = value { text } else { nil }
        }
        let folded = texts.map { FoldedText($0, options) }
        guard let text = texts.first, let first = folded.first else {
            self = .never
            return
        }
        switch comparison.relation {
        case .among: self = .equals(Set(folded))
        case .equal: self = Self.equal(to: text, options)
        case .notEqual: self = .not(Self.equal(to: text, options))
        case .less, .lessOrEqual, .greater, .greaterOrEqual: self = .order(comparison.relation, first)
        case .between: self = folded.count == 2 ? .between(first, folded[1]) : .never
        case .beginsWith: self = .prefix(first)
        case .endsWith: self = .suffix(first)
        case .contains: self = .contains(first)
        case .like: self = .like(WildcardBox(value: Wildcard(text, options)))
        // The parser has already compiled the pattern once; an invalid pattern from elsewhere matches nothing.
        case .matches: self = (try? TextPattern(text, options)).map { .matches(PatternBox(value: $0)) } ?? .never
        }
    }

    /// Returns a test with Spotlight's rules of comparison: `*` and `?` are wildcards, and a backslash escapes them and
    /// itself.
    private static func equal(to text: String, _ options: TextOptions) -> TextTest {
        let value = EqualityText(text)
        return value.hasWildcards
            ? .like(WildcardBox(value: Wildcard(value.pattern, options)))
            : .equals([FoldedText(value.plain, options)])
    }

    fileprivate func accepts(_ text: FoldedText) -> Bool {
        switch self {
        case .equals(let values): values.contains(text)
        case .not(let test): !test.accepts(text)
        case .order(.less, let value): text < value
        case .order(.lessOrEqual, let value): text <= value
        case .order(.greater, let value): text > value
        case .order(_, let value): text >= value
        case .between(let first, let last): first <= text && text <= last
        case .prefix(let value): text.hasPrefix(value)
        case .suffix(let value): text.hasSuffix(value)
        case .contains(let value): text.contains(value)
        case .like(let wildcard): wildcard.value.matches(text)
        case .matches(let pattern): pattern.value.matches(text)
        case .never: false
        }
    }
}

/// An ordered value. Times are compared as they are, because a Double does not hold their nanoseconds.
package struct OrderTest: Sendable {
    package enum Rank: Sendable, Hashable {
        case number(Double)
        case time(Int64)
    }

    let relation: Comparison.Relation
    private let values: [Rank]

    fileprivate init(_ relation: Comparison.Relation, _ values: [Rank]) {
        self.relation = relation
        self.values = values
    }

    fileprivate static func rank(_ literal: Literal) -> Rank {
        switch literal {
        case .number(let number): .number(number)
        case .flag(let flag): .number(flag ? 1 : 0)
        case .date(let time): .time(time)
        // The parser allows neither of them here.
        case .text, .null: .number(.nan)
        }
    }

    fileprivate func accepts(_ number: Double) -> Bool {
        decide(
            number,
            values.map { value in
                if case .number(let number) = value { number } else { .nan }
            })
    }

    fileprivate func accepts(time: Int64) -> Bool {
        decide(
            time,
            values.compactMap { value in
                if case .time(let time) = value { time } else { nil }
            })
    }

    private func decide<T: Comparable>(_ value: T, _ values: [T]) -> Bool {
        guard let first = values.first else { return false }
        switch relation {
        case .equal: return value == first
        case .notEqual: return value != first
        case .less: return value < first
        case .lessOrEqual: return value <= first
        case .greater: return value > first
        case .greaterOrEqual: return value >= first
        case .among: return values.contains(value)
        case .between: return values.count == 2 && first <= value && value <= values[1]
        case .like, .matches, .beginsWith, .endsWith, .contains: return false
        }
    }
}
