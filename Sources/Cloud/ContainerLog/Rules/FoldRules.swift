import CloudModel

/// The meaning of a log's entries under one version of the rules. ``Fold`` and the coding of entries use it wherever
/// versions differ.
///
/// Once a release has written logs under a version, the version never changes: existing logs would fold into different
/// trees. To change the meaning of an entry, add a file `RulesN.swift` with a new value, append it to ``all``, and
/// record golden logs for it (docs/LOG.md, "Adding rules").
///
/// An entry is folded under the rules that it names or the rules of its log, whichever are newer.
struct FoldRules: Sendable {
    let version: UInt16
    /// Whether a release with only earlier rules would give a batch a different meaning, or none. The batch then names
    /// these rules.
    let isNeeded: @Sendable (_ batch: ChangeBatch) -> Bool

    /// How the fold derives ids from ids.
    let derivedIDs: DerivedIDs
    /// The name of an item promoted from a conflict version of a deleted document.
    let heirName: HeirName
    /// The name of an item whose own name is taken.
    let numberedName: NumberedName

    /// Every version, from 1.
    static let all = [rules1]

    static var newest: FoldRules { all[all.count - 1] }

    /// - Returns: The rules of that version: the nearest known ones if this release does not have it.
    static func version(_ version: UInt16) -> FoldRules { all[min(max(Int(version), 1), all.count) - 1] }

    /// - Returns: The oldest rules that give the batch its meaning.
    static func needed(by batch: ChangeBatch) -> FoldRules { all.last { $0.isNeeded(batch) } ?? rules1 }
}
