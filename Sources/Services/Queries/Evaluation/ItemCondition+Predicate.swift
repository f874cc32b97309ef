package import CloudModel

extension ItemCondition {
    /// Creates a necessary condition for matching the predicate; further items may meet it too. A query thus reads few
    /// items, and the predicate itself decides.
    package init(_ predicate: Predicate) { self = Self.condition(predicate, isNegated: false) }

    /// Returns the condition of a predicate or its negation. Negations are passed down to the comparisons: a merely
    /// necessary condition says nothing about its opposite.
    private static func condition(_ predicate: Predicate, isNegated: Bool) -> ItemCondition {
        switch predicate {
        case .always(let value): value == isNegated ? .nothing : .everything
        case .not(let inner): condition(inner, isNegated: !isNegated)
        case .all(let parts):
            joined(parts.map { condition($0, isNegated: isNegated) }, requiringAll: !isNegated)
        case .any(let parts):
            joined(parts.map { condition($0, isNegated: isNegated) }, requiringAll: isNegated)
        case .comparison(let comparison): comparison.condition(isNegated: isNegated)
        }
    }

    fileprivate var orFolder: ItemCondition { self == .everything ? self : .any([.isFolder, self]) }
}

extension Comparison {
    fileprivate func condition(isNegated: Bool) -> ItemCondition {
        switch attribute {
        // A package's size is that of its content.
        case .size: ordered(ItemCondition.size, isNegated).orFolder
        case .modified: ordered(ItemCondition.modified, isNegated)
        case .created: ordered(ItemCondition.created, isNegated)
        case .name: named(isNegated)
        // A package has the conflicts of its files.
        case .fact(.hasUnresolvedConflicts):
            switch isWanted(isNegated) {
            case true?: ItemCondition.hasConflictVersions.orFolder
            case false?: ItemCondition.not(.hasConflictVersions).orFolder
            case nil: .everything
            }
        // Written but unrecorded bytes change this, so only this value is tested.
        case .fact(.isUploaded): isWanted(isNegated) == true ? .isSynced : .everything
        case .conflictOf: inConflict(isNegated)
        case .fact(.downloadingStatus): status(isNegated)
        default: .everything
        }
    }
}

extension Comparison {
    /// Returns the requested truth value; nil for neither of the two.
    private func isWanted(_ isNegated: Bool) -> Bool? {
        guard case .flag(let value) = values.first, relation == .equal || relation == .notEqual else { return nil }
        return (value == (relation == .equal)) != isNegated
    }

    private func inConflict(_ isNegated: Bool) -> ItemCondition {
        guard values == [.null], relation == .equal || relation == .notEqual else { return .everything }
        // A package's own row does not store whether the package is a conflict version.
        return (relation == .equal) == isNegated ? .any([.isConflictVersion, .isFolder]) : .everything
    }

    private func status(_ isNegated: Bool) -> ItemCondition {
        guard relation == .equal, !isNegated, options.isEmpty, case .text(let text) = values.first,
            text.hasSuffix("otDownloaded")
        else { return .everything }
        // A package's progress is that of its least complete file.
        return .any([.isFolder, .isIncompleteFile])
    }

    /// Returns a test of a number present in every item.
    private func ordered(_ condition: (ItemCondition.NumberTest) -> ItemCondition, _ isNegated: Bool) -> ItemCondition {
        let numbers = values.compactMap { value -> Int64? in
            switch value {
            case .date(let time): time
            // The predicate itself tests numbers with a fraction, or beyond the exact range.
            case .number(let number) where abs(number) < 0x1p52 && number == number.rounded(): Int64(number)
            default: nil
            }
        }
        guard numbers.count == values.count, let first = numbers.first, let test = numberTest(first, numbers) else {
            return .everything
        }
        return isNegated ? .not(condition(test)) : condition(test)
    }

    private func numberTest(_ first: Int64, _ numbers: [Int64]) -> ItemCondition.NumberTest? {
        switch relation {
        case .equal: .equal(first)
        case .notEqual: .notEqual(first)
        case .less: .less(first)
        case .lessOrEqual: .lessOrEqual(first)
        case .greater: .greater(first)
        case .greaterOrEqual: .greaterOrEqual(first)
        case .among: .among(numbers)
        case .between: numbers.count == 2 ? .between(first, numbers[1]) : nil
        case .like, .matches, .beginsWith, .endsWith, .contains: nil
        }
    }

    /// Returns a test of the name. A database compares the bytes of names, with the same result only for text
    /// unaffected by composition, folding and decoding.
    private func named(_ isNegated: Bool) -> ItemCondition {
        guard !isNegated, options.isEmpty else { return .everything }
        var plain: [[UInt8]] = []
        for case .text(let text) in values where text.utf8.allSatisfy(Self.isPlain) { plain.append(Array(text.utf8)) }
        guard plain.count == values.count, let first = plain.first else { return .everything }
        switch relation {
        case .equal, .among: return .name(.among(plain))
        case .endsWith where !first.isEmpty: return .name(.endsWith(first))
        case .contains where !first.isEmpty: return .name(.contains(first))
        default: return .everything
        }
    }

    /// Returns whether a letter has this byte as its only form. Results of compositions (the Kelvin sign to K) and
    /// signs composing with a following sign do not.
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
