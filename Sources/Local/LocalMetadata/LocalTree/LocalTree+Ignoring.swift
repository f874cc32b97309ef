import Basics
import CloudModel
import GRDB

/// Reads what the patterns of ignore files concern.
extension LocalTree {
    /// Returns the items that are named like ignore files, wherever they are.
    package func ignoreFiles(limit: Int) throws -> [LocalItem] {
        try fetchReadable(QueueQueries.ignoreFiles, [limit]).items
    }

    /// Returns the items behind `node` that a pattern excludes, in the order of their nodes; not those inside of excluded folders.
    package func excludedByPattern(after node: NodeID, limit: Int) throws -> [LocalItem] {
        try fetchReadable(QueueQueries.excludedByPattern, [Int64(bitPattern: node.value), limit]).items
    }

    /// Returns new items behind `last` that are to be synced and are not in the log, in the order of their changes.
    package func unsent(after last: LocalItem?, limit: Int) throws -> [LocalItem] {
        try fetchReadable(
            QueueQueries.unsent,
            [last?.pendingSince?.nanoseconds ?? .min, Int64(bitPattern: last?.node.value ?? 0), limit]
        ).items
    }

    /// Returns new files that are open for writing and were to be synced once they are closed.
    package func unsentInWriting() throws -> [LocalItem] {
        try transaction.transfers.writing().filter { !$0.isKnown && !$0.isExcluded }
    }

    /// Returns the lengths of the names of that folder's documents with which `name` begins and which a person keeps on this device.
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

    /// Records that rules may have changed, where an item is an ignore file or was one.
    func noteIgnoreFile(_ name: ItemName) {
        if IgnoreFile.isName(name) { memory.changesIgnoreFiles = true }
    }
}
