extension FoldRules {
    /// Entries declare which folders of the container are packages.
    static let rules4 = FoldRules(
        version: 4, isNeeded: { $0.changes.contains(where: \.declaresPackageType) }, writesKeys: true,
        namesPackages: true, declaresPackageTypes: true, collects: false, switchesFolding: false,
        derivedIDs: .stableHash, heirName: .deviceAndTime, numberedName: .beforeExtension)
}
