import CloudModel

/// The meaning of a log's entries under one version of the rules. ``Fold`` and the coding of entries use it wherever versions differ.
///
/// A version that a release has written logs under never changes: existing logs would fold into other trees. To change what an entry
/// means, add a file `RulesN.swift` with a new value, append it to ``all``, and record golden logs for it (docs/LOG.md, "Adding rules").
///
/// An entry is folded under the newer of the rules that it names itself and those that its log was raised to.
struct FoldRules: Sendable {
    let version: UInt16
    /// Whether a release that only knows earlier rules would give a batch another meaning, or none. The batch then names these rules.
    let isNeeded: @Sendable (_ batch: ChangeBatch) -> Bool

    /// How the fold derives ids from other ids.
    let derivedIDs: DerivedIDs
    /// The name of an item that was a conflict version of a deleted document.
    let heirName: HeirName
    /// The name of an item whose own name is taken.
    let numberedName: NumberedName

    /// Every version, from 1.
    static let all = [rules1]

    static var newest: FoldRules { all[all.count - 1] }

    /// - Returns: The rules of that version: the nearest known ones if this release has none of that number.
    static func version(_ version: UInt16) -> FoldRules { all[min(max(Int(version), 1), all.count) - 1] }

    /// - Returns: The oldest rules that give the batch its meaning.
    static func needed(by batch: ChangeBatch) -> FoldRules { all.last { $0.isNeeded(batch) } ?? rules1 }
}
