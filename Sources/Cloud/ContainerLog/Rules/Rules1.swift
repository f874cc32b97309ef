extension FoldRules {
    /// The first rules: items, contents, conflicts, names and attributes.
    static let rules1 = FoldRules(
        version: 1, isNeeded: { _ in true }, writesKeys: false, namesPackages: false, declaresPackageTypes: false,
        collects: false, switchesFolding: false, derivedIDs: .stableHash, heirName: .deviceAndTime,
        numberedName: .beforeExtension)
}
