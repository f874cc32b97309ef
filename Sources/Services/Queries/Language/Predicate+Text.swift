extension Predicate: CustomStringConvertible {
    /// The predicate in its own language; parsing it gives the same predicate. Only necessary parentheses are written,
    /// so it is nested no deeper than its source text.
    package var description: String {
        switch self {
        case .always(let value): value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .all(let parts): Self.joined(parts, by: " AND ", otherwise: "TRUEPREDICATE", Self.isTighterThanAnd)
        case .any(let parts): Self.joined(parts, by: " OR ", otherwise: "FALSEPREDICATE", Self.isTighterThanOr)
        case .not(let inner): "NOT " + inner.text(bare: Self.isTighterThanAnd)
        case .comparison(let comparison): comparison.description
        }
    }

    private static func joined(
        _ parts: [Predicate], by word: String, otherwise none: String, _ isBare: (Predicate) -> Bool
    ) -> String {
        switch parts.count {
        case 0: none
        // A list with a single part means the same as that part, and has no further text.
        case 1: parts[0].description
        default: parts.map { $0.text(bare: isBare) }.joined(separator: word)
        }
    }

    private func text(bare isBare: (Predicate) -> Bool) -> String { isBare(self) ? description : "(\(self))" }

    private static func isTighterThanOr(_ predicate: Predicate) -> Bool {
        if case .any = predicate { false } else { true }
    }

    private static func isTighterThanAnd(_ predicate: Predicate) -> Bool {
        if case .all = predicate { false } else { isTighterThanOr(predicate) }
    }
}

extension Comparison: CustomStringConvertible {
    package var description: String {
        let list = "{\(values.map(\.description).joined(separator: ", "))}"
        let value = relation == .among || relation == .between ? list : values.first?.description ?? "NULL"
        return "\(attribute.name) \(relation.rawValue)\(options.suffix) \(value)"
    }
}

extension Literal: CustomStringConvertible {
    package var description: String {
        switch self {
        case .text(let text): Self.quoted(text)
        case .number(let number): "\(number)"
        case .flag(let flag): flag ? "TRUE" : "FALSE"
        // As exact as a Double: seconds since 2001.
        case .date(let time): "CAST(\(Double(time) / 1e9 - 978_307_200), \"NSDate\")"
        case .null: "NULL"
        }
    }

    private static func quoted(_ text: String) -> String {
        var result = "'"
        for scalar in text.unicodeScalars {
            switch scalar {
            case "'", "\\": result += "\\\(scalar)"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "'"
    }
}
