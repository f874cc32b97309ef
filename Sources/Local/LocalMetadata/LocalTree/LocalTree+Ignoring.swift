import Basics
import CloudModel
import GRDB

/// Reads items affected by ignore files' patterns.
extension LocalTree {
    /// Returns the items named like ignore files, wherever they are.
    package func ignoreFiles(limit: Int) throws -> [LocalItem] {
        try fetchReadable(QueueQueries.ignoreFiles, [limit]).items
    }

    /// Returns the items behind `node` excluded by a pattern, in the order of their nodes; not those inside of excluded
    /// folders.
    package func excludedByPattern(after node: NodeID, limit: Int) throws -> [LocalItem] {
        try fetchReadable(QueueQueries.excludedByPattern, [Int64(bitPattern: node.value), limit]).items
    }

    /// Returns new items behind `last` to be synced and not yet in the log, in the order of their changes.
    package func unsent(after last: LocalItem?, limit: Int) throws -> [LocalItem] {
        try fetchReadable(
            QueueQueries.unsent,
            [last?.pendingSince?.nanoseconds ?? .min, Int64(bitPattern: last?.node.value ?? 0), limit]
        ).items
    }

    /// Returns new files open for writing, to be synced once they are closed.
    package func unsentInWriting() throws -> [LocalItem] {
        try transaction.transfers.writing().filter { !$0.isKnown && !$0.isExcluded }
    }

    /// Returns the lengths of the names in the folder that are prefixes of `name` and belong to documents kept on this
    /// device by the user.
    package func documentsExcludedByAttribute(in folder: NodeID, beginning name: [UInt8]) throws -> [Int] {
        var lengths: [Int] = []
        try db.forEachRow(QueueQueries.excludedBeginning, [Int64(bitPattern: folder.value), name]) { columns in
            lengths.append(Int(columns.integer(0)))
            return true
        }
        return lengths
    }

    /// Spelled as in the index `local_ignoreFile`: SQLite uses the index only for the same expression.
    static let isIgnoreFile = "name = x'\(ignoreFileName)'"
    private static let ignoreFileName = IgnoreFile.name.utf8.map { byte in
        String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }.joined()

    /// Records that rules may have changed, if an item is or was an ignore file.
    func noteIgnoreFile(_ name: ItemName) {
        if IgnoreFile.isName(name) { memory.changesIgnoreFiles = true }
    }
}
