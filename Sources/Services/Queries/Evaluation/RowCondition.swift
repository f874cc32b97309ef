import CloudModel

/// A condition on rows of `local` that every item meets which matches a predicate; others may too. So a query reads few rows, and the
/// predicate itself decides.
package struct RowCondition: Hashable, Sendable {
    /// SQL with a `?` for each value.
    package let sql: String
    package let values: [Value]

    package enum Value: Hashable, Sendable {
        case integer(Int64)
        case bytes([UInt8])
    }

    static let everything = RowCondition(sql: "1", values: [])
    static let nothing = RowCondition(sql: "0", values: [])

    init(sql: String, values: [Value] = []) {
        self.sql = sql
        self.values = values
    }

    package init(_ predicate: Predicate) { self = Self.condition(predicate, isNegated: false) }

    /// Negations are carried down to the comparisons: what is only necessary for a condition says nothing of its opposite.
    private static func condition(_ predicate: Predicate, isNegated: Bool) -> RowCondition {
        switch predicate {
        case .always(let value): value == isNegated ? nothing : everything
        case .not(let inner): condition(inner, isNegated: !isNegated)
        case .all(let parts):
            joined(parts.map { condition($0, isNegated: isNegated) }, requiringAll: !isNegated)
        case .any(let parts):
            joined(parts.map { condition($0, isNegated: isNegated) }, requiringAll: isNegated)
        case .comparison(let comparison): comparison.rowCondition(isNegated: isNegated)
        }
    }

    private static func joined(_ parts: [RowCondition], requiringAll: Bool) -> RowCondition {
        let (neutral, dominant) = requiringAll ? (everything, nothing) : (nothing, everything)
        let kept = parts.filter { $0 != neutral }
        if kept.contains(dominant) { return dominant }
        guard let first = kept.first else { return neutral }
        guard kept.count > 1 else { return first }
        return RowCondition(
            sql: "(" + kept.map(\.sql).joined(separator: requiringAll ? " AND " : " OR ") + ")",
            values: kept.flatMap(\.values))
    }
}

extension RowCondition {
    fileprivate var orFolder: RowCondition {
        self == .everything ? self : RowCondition(sql: "(kind = 0 OR \(sql))", values: values)
    }
}

extension Comparison {
    fileprivate func rowCondition(isNegated: Bool) -> RowCondition {
        switch attribute {
        case .size: ordered("size", isNegated).orFolder
        case .modified: ordered("modified", isNegated)
        case .created: ordered("created", isNegated)
        case .name: named(isNegated)
        // A package has those of its files.
        case .fact(.hasUnresolvedConflicts):
            flag(
                isNegated,
                """
                EXISTS (SELECT 1 FROM local AS sibling
                  WHERE sibling.container = local.container AND sibling.conflictOf = local.item)
                """
            ).orFolder
        // Bytes that were written and not noted yet change this, so only what is surely not uploaded is excluded.
        case .fact(.isUploaded): isWanted(isNegated) == true ? RowCondition(sql: Self.uploaded) : .everything
        case .conflictOf: inConflict(isNegated)
        case .fact(.downloadingStatus): status(isNegated)
        default: .everything
        }
    }

    private static let uploaded = "(pendingSince IS NULL AND isEdited = 0 AND isExcluded = 0)"

    /// Which truth value is asked for; nil for none of the two.
    private func isWanted(_ isNegated: Bool) -> Bool? {
        guard case .flag(let value) = values.first, relation == .equal || relation == .notEqual else { return nil }
        return (value == (relation == .equal)) != isNegated
    }

    private func flag(_ isNegated: Bool, _ sql: String) -> RowCondition {
        isWanted(isNegated).map { RowCondition(sql: $0 ? sql : "NOT \(sql)") } ?? .everything
    }

    private func inConflict(_ isNegated: Bool) -> RowCondition {
        guard values == [.null], relation == .equal || relation == .notEqual else { return .everything }
        // Whether a package is one is not in its row.
        return (relation == .equal) == isNegated
            ? RowCondition(sql: "(conflictOf IS NOT NULL OR kind = 0)") : .everything
    }

    private func status(_ isNegated: Bool) -> RowCondition {
        guard relation == .equal, !isNegated, options.isEmpty, case .text(let text) = values.first,
            text.hasSuffix("otDownloaded")
        else { return .everything }
        // A package is as far as the last of its files, which is not in its row.
        return RowCondition(sql: "(kind = 0 OR kind = 1 AND presence < 2 AND size > 0)")
    }

    /// Columns that always have a value and the same order. The size of a package is that of what is in it.
    private func ordered(_ column: String, _ isNegated: Bool) -> RowCondition {
        let numbers = values.compactMap { value -> Int64? in
            switch value {
            case .date(let time): time
            // A number with a fraction, or beyond what is exact, is left to the predicate.
            case .number(let number) where abs(number) < 0x1p52 && number == number.rounded(): Int64(number)
            default: nil
            }
        }
        guard numbers.count == values.count, !numbers.isEmpty else { return .everything }
        let sql: String
        switch relation {
        case .between: sql = "\(column) BETWEEN ? AND ?"
        case .among: sql = "\(column) IN (\(numbers.map { _ in "?" }.joined(separator: ",")))"
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: sql = "\(column) \(relation.rawValue) ?"
        case .like, .matches, .beginsWith, .endsWith, .contains: return .everything
        }
        return RowCondition(sql: isNegated ? "NOT (\(sql))" : "(\(sql))", values: numbers.map { .integer($0) })
    }

    /// Names are compared by bytes in SQL. Only text that no composition, folding or decoding changes means the same there.
    private func named(_ isNegated: Bool) -> RowCondition {
        guard !isNegated, options.isEmpty else { return .everything }
        var plain: [[UInt8]] = []
        for case .text(let text) in values where text.utf8.allSatisfy(Self.isPlain) { plain.append(Array(text.utf8)) }
        guard plain.count == values.count, let first = plain.first else { return .everything }
        switch relation {
        case .equal, .among:
            return RowCondition(
                sql: "name IN (\(plain.map { _ in "?" }.joined(separator: ",")))", values: plain.map { .bytes($0) })
        case .endsWith where !first.isEmpty:
            return RowCondition(sql: "substr(name, -\(first.count)) = ?", values: [.bytes(first)])
        case .contains where !first.isEmpty: return RowCondition(sql: "instr(name, ?) > 0", values: [.bytes(first)])
        default: return .everything
        }
    }

    /// Letters that others compose to (the Kelvin sign to K) and signs that compose with what follows are not.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "K"): false
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"),
            UInt8(ascii: " "):
            true
        default: false
        }
    }
}
