extension FoldRules {
    /// Entries write keys of the container's key-value store.
    static let rules2 = FoldRules(
        version: 2, isNeeded: { batch in batch.changes.contains { if case .setValue = $0 { true } else { false } } },
        writesKeys: true, namesPackages: false, declaresPackageTypes: false, collects: false, switchesFolding: false,
        derivedIDs: .stableHash, heirName: .deviceAndTime, numberedName: .beforeExtension)
}
