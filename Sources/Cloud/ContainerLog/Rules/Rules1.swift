extension FoldRules {
    /// The first rules. They may change until the first release is tagged, and never after it.
    static let rules1 = FoldRules(
        version: 1, isNeeded: { _ in true }, derivedIDs: .stableHash, heirName: .deviceAndTime,
        numberedName: .beforeExtension)
}
