/// Durable-write ordering mistakes that the tester must find. The worker process makes them by sync calls that return
/// without doing anything; the engine is unchanged.
package enum DurabilityBug: String, CaseIterable, Sendable {
    /// The database's log is not synced: an acknowledged change is in memory only.
    case rowsNotSynced
    /// The bytes of blobs are not synced before the rows naming them.
    case bytesNotSynced
    /// The database is not synced before its log is restarted.
    case checkpointNotSynced

    package var summary: String {
        switch self {
        case .rowsNotSynced: "success is reported before the write-ahead log is on the disk"
        case .bytesNotSynced: "rows are durable before the bytes they name"
        case .checkpointNotSynced: "the write-ahead log is written over before the database is on the disk"
        }
    }

    /// Returns whether a sync of this file is left out.
    package func ignores(_ path: String) -> Bool {
        switch self {
        case .rowsNotSynced: path.hasSuffix("/metadata.sqlite-wal")
        case .bytesNotSynced: path.contains("/content/") && path.contains(".")
        case .checkpointNotSynced: path.hasSuffix("/metadata.sqlite")
        }
    }
}
