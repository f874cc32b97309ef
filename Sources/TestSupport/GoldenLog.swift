import Basics
import CloudModel
import ContainerLog

/// A recorded log with the digests of its folded trees, so that no change of the reducer can silently change the
/// meaning of an existing log. `NAME.log` has the entries, `NAME.digests` the digests from the time of the recording.
package struct GoldenLog: Sendable {
    package let name: String
    package let foldsNames: Bool
    /// The encoded batches, in the order of the log.
    package let entries: [[UInt8]]

    package init(name: String, foldsNames: Bool = false, entries: [[UInt8]]) {
        self.name = name
        self.foldsNames = foldsNames
        self.entries = entries
    }

    /// Returns the newest rules named by an entry, or to which the log was raised.
    package func rules() throws -> UInt16 {
        var rules: UInt16 = 1
        // Format and rules are at the same place in every entry; docs/LOG.md.
        for entry in entries where entry.count >= 3 { rules = max(rules, UInt16(entry[1]) | UInt16(entry[2]) << 8) }
        return try max(min(rules, ContainerReducer.knownRules), folded().rules)
    }

    // MARK: Digests

    /// Folds the log.
    ///
    /// - Returns: A line after each tenth entry and after the last: the position, the tree's digest, and a digest of
    ///   all remaining state and results of the fold. If an entry needs a newer release, the last line says so.
    package func digests() throws -> [String] { try folded().lines }

    private func folded() throws -> (lines: [String], rules: UInt16) {
        var tree = DictionaryTree(foldsNames: foldsNames)
        var results = Fingerprint()
        var lines: [String] = []
        for (index, entry) in entries.enumerated() {
            let sequence = LogSequence(UInt64(index + 1))
            do {
                try results.combine(fold(entry, at: sequence, into: &tree))
            } catch let error as LogError where error.needsUpdate {
                return (lines + ["\(sequence) needs an update"], tree.state().rules)
            }
            guard (index + 1).isMultiple(of: 10) || index + 1 == entries.count else { continue }
            var everything = results
            everything.combine(tree)
            lines.append("\(sequence) \(try TreeDigest(of: tree)) \(everything)")
        }
        return (lines, tree.state().rules)
    }

    /// - Returns: The effect of the entry; nil if it is damaged.
    private func fold(
        _ entry: [UInt8], at sequence: LogSequence, into tree: inout DictionaryTree
    ) throws -> FoldResult? {
        do {
            return try ContainerReducer().fold(ChangeBatch(decoding: entry), at: sequence, into: &tree)
        } catch LogError.damaged {
            try ContainerReducer().foldVoid(at: sequence, into: &tree)
            return nil
        }
    }
}
