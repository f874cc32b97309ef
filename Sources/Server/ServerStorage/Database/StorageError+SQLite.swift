import GRDB

extension StorageError {
    /// Returns the meaning of an SQLite error; nil for an error without a specific meaning.
    static func ofSQLite(_ error: any Error) -> StorageError? {
        guard let error = error as? DatabaseError else { return nil }
        return switch error.resultCode {
        case .SQLITE_FULL: diskFull(error)
        case .SQLITE_CORRUPT, .SQLITE_NOTADB:
            StorageError(
                .damaged, "The server's database is damaged. Restore the data directory from a backup.", cause: error)
        default: nil
        }
    }
}
