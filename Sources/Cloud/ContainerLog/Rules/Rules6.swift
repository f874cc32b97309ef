import CloudModel

extension FoldRules {
    /// Entries say whether the container's names are compared without case.
    static let rules6 = FoldRules(
        version: 6, isNeeded: { $0.changes.contains(where: \.namesFolding) }, writesKeys: true, namesPackages: true,
        declaresPackageTypes: true, collects: true, switchesFolding: true, derivedIDs: .stableHash,
        heirName: .deviceAndTime, numberedName: .beforeExtension)
}
