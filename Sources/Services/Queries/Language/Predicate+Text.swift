extension Predicate: CustomStringConvertible {
    /// The predicate in its own language: reads as the same predicate.
    package var description: String {
        switch self {
        case .always(let value): value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .all(let parts): Self.joined(parts, by: " AND ", otherwise: "TRUEPREDICATE")
        case .any(let parts): Self.joined(parts, by: " OR ", otherwise: "FALSEPREDICATE")
        case .not(let inner): "NOT (\(inner))"
        case .comparison(let comparison): comparison.description
        }
    }

    private static func joined(_ parts: [Predicate], by word: String, otherwise none: String) -> String {
        parts.isEmpty ? none : parts.map { "(\($0))" }.joined(separator: word)
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
        // Exact to what a Double holds: seconds since 2001.
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
