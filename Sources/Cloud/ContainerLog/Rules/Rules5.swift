extension FoldRules {
    /// Entries collect garbage of a cloud without a server, and are refused where a collection has begun that they do not name although they
    /// bring contents. They also have the number of a key, for contents that will be encrypted.
    static let rules5 = FoldRules(
        version: 5,
        isNeeded: { batch in
            batch.collection != 0 || batch.keyEpoch != 0
                || batch.changes.contains { if case .collection = $0 { true } else { false } }
        },
        writesKeys: true, namesPackages: true, declaresPackageTypes: true, collects: true, switchesFolding: false,
        derivedIDs: .stableHash, heirName: .deviceAndTime, numberedName: .beforeExtension)
}
