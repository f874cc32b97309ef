import CloudModel
import LocalContent
import LocalMetadata

/// SQLite databases whose last changes are in a write-ahead log beside them (sqlite.org/wal.html). Their bytes alone
/// are an earlier state, or a mixture of two during a checkpoint, so they are uploaded once the log is gone.
struct OpenDatabases {
    let context: EngineContext

    static let message =
        "This is an SQLite database in use: its last changes are in the file beside it whose name ends in -wal. It is uploaded once its "
        + "program has closed it. To share its rows while programs use it, move it out of the mount and run `ubiquity database share`."

    /// Returns such databases among these files.
    func among(_ items: [LocalItem]) throws -> [LocalItem] {
        let candidates = try context.metadata.read { transaction in
            try items.filter { item in
                // A name without room for the ending has no log.
                guard let name = try? ItemName(bytes: item.name.bytes + Array("-wal".utf8)),
                    let log = try transaction.local.item(named: name, in: item.parent), log.kind == .file
                else { return false }
                return log.size > 0 || context.mounted.isOpen(log.node)
            }
        }
        return candidates.filter { context.content.isSQLiteDatabase($0.blob) }
    }
}
