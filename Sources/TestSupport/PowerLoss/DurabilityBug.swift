/// Mistakes in the order of durable things that the tester has to find. The working process makes them, by calls that return and do
/// nothing; the engine is the same.
package enum DurabilityBug: String, CaseIterable, Sendable {
    /// The database's log is not synced: what is acknowledged is in memory only.
    case rowsNotSynced
    /// The bytes of blobs are not synced before the rows that name them.
    case bytesNotSynced
    /// The database is not synced before its log is begun anew.
    case checkpointNotSynced

    package var summary: String {
        switch self {
        case .rowsNotSynced: "success is told before the write-ahead log is on the disk"
        case .bytesNotSynced: "rows are durable before the bytes they name"
        case .checkpointNotSynced: "the write-ahead log is written over before the database is on the disk"
        }
    }

    /// Whether a sync of this file is left out.
    package func ignores(_ path: String) -> Bool {
        switch self {
        case .rowsNotSynced: path.hasSuffix("/metadata.sqlite-wal")
        case .bytesNotSynced: path.contains("/content/") && path.contains(".")
        case .checkpointNotSynced: path.hasSuffix("/metadata.sqlite")
        }
    }
}
