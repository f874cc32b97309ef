extension FoldRules {
    /// Entries name the packages that they change, and are refused where another entry has changed one of them since.
    static let rules3 = FoldRules(
        version: 3, isNeeded: { !$0.packages.isEmpty }, writesKeys: true, namesPackages: true,
        declaresPackageTypes: false, collects: false, switchesFolding: false, derivedIDs: .stableHash,
        heirName: .deviceAndTime, numberedName: .beforeExtension)
}
