/// Why a database cannot be shared, or its transactions not be sent or received.
public enum UbiquitousDatabaseError: Error, Hashable, CustomStringConvertible {
    /// The table cannot be merged with another device's table.
    case unsharable(table: String, reason: String)
    /// The file is a copy of a different shared database, or belongs to it.
    case otherDatabase(path: String, found: String, wanted: String)
    /// The text names no shared database.
    case noIdentifier(String)
    /// A newer release wrote the file's contents.
    case newerLayout(path: String, found: Int64)
    /// The library's tables are damaged.
    case damaged(path: String, what: String)
    /// The folder is in no mounted container.
    case noMount(path: String)
    /// A file of this device is in the cloud with different transactions: two copies of the database have written.
    case numberTaken(file: String)
    /// A baseline covers different files of a peer than those folded by this database: the cloud went back, or a
    /// copy of that device has written.
    case otherFiles(device: String, file: UInt64, path: String)
    /// The shared database's files keep changing.
    case changing(path: String)
    /// A lost value belongs to a row or a column missing from the table.
    case notShown(table: String)
    /// A column's values have changed since the person saw them.
    case conflictChanged(table: String, column: String)
    /// Remote devices would never receive some of this device's transactions.
    case unpublished(path: String)
    /// A trigger or a view of the program reads the library's tables.
    case stillUsed(by: String)

    public var description: String {
        switch self {
        case .unsharable(let table, let reason): "The table \(table) cannot be shared: \(reason)."
        case .otherDatabase(let path, let found, let wanted):
            "\(path) belongs to the shared database \(found), not to \(wanted). Open it with its own identifier, or take "
                + "another file."
        case .noIdentifier(let text):
            "“\(text)” is no identifier of a shared database. Take the `identifier` of a device that has it."
        case .newerLayout(let path, let found):
            "\(path) was last used by a newer version of ubiquity (layout \(found)). Nothing was changed. Install a newer "
                + "version."
        case .damaged(let path, let what):
            "What \(path) keeps about its other devices is damaged (\(what)). Attach a new file to the shared database, and "
                + "copy rows that are missing there."
        case .noMount(let path):
            "\(path) is in no mounted container. Use a folder of a container, beside its Documents, while it is mounted."
        case .numberTaken(let file):
            "\(file) has other transactions than this database wrote. The database was restored from a copy, or a copy of it "
                + "is in use. Attach a new file to the shared database, and copy rows that are missing there."
        case .otherFiles(let device, let file, let path):
            "The cloud has other transactions of “\(device)” up to file \(file) than \(path) has received. The cloud went back to an "
                + "earlier state, or a copy of that device's database is in use. Attach a new file to the shared database, "
                + "and copy rows that are missing there."
        case .changing(let path):
            "\(path) changed while it was listed. Nothing was changed. Try again in a moment."
        case .notShown(let table):
            "The row or the column that the value belongs to is not in the table \(table) of this device. Nothing was changed. "
                + "Insert the row again with the value."
        case .conflictChanged(let table, let column):
            "The values of the column \(column) of the table \(table) have changed since they were listed. Nothing was "
                + "changed. List the conflicts again."
        case .unpublished(let path):
            "\(path) has transactions that are not published. Sharing goes on. Publish them first, or discard them."
        case .stillUsed(let user):
            "The \(user) reads tables of the library, and would fail without them. Sharing goes on. Drop it first."
        }
    }
}
