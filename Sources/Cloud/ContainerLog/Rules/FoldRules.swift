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

    /// Whether an entry may write keys of the key-value store.
    let writesKeys: Bool
    /// Whether an entry names the packages that it changes.
    let namesPackages: Bool
    /// Whether an entry may declare which folders are packages.
    let declaresPackageTypes: Bool
    /// Whether an entry names the newest collection of garbage that its device knew, and may be a step of one.
    let collects: Bool
    /// Whether an entry may switch the comparison of names.
    let switchesFolding: Bool

    /// How the fold derives ids from other ids.
    let derivedIDs: DerivedIDs
    /// The name of an item that was a conflict version of a deleted document.
    let heirName: HeirName
    /// The name of an item whose own name is taken.
    let numberedName: NumberedName

    /// Every version, from 1.
    static let all = [rules1, rules2, rules3, rules4, rules5, rules6]

    static var newest: FoldRules { all[all.count - 1] }

    /// - Returns: The rules of that version: the nearest known ones if this release has none of that number.
    static func version(_ version: UInt16) -> FoldRules { all[min(max(Int(version), 1), all.count) - 1] }

    /// - Returns: The oldest rules that give the batch its meaning.
    static func needed(by batch: ChangeBatch) -> FoldRules { all.last { $0.isNeeded(batch) } ?? rules1 }
}
