package import S3Client

/// Where a server keeps its data: everything in a single directory, or rows in PostgreSQL and bytes in a bucket, shared
/// by any number of processes.
package struct ServerPlace: Hashable, Sendable {
    /// A single server's data directory, or a cluster node's scratch directory for rebuildable data: folded logs and
    /// temporary files. Used by one process at a time.
    package var directory: String
    /// The location of rows; nil: in SQLite, in the directory.
    package var database: PostgresAddress?
    /// The location of chunks; nil: in files of the directory.
    package var chunks: S3Location?
    /// The file with the bucket's credentials, readable only by its owner (`S3CredentialFile`). Nil: from the
    /// environment or a profile of Amazon's tools.
    package var credentialFile: String?

    package init(
        directory: String, database: PostgresAddress? = nil, chunks: S3Location? = nil, credentialFile: String? = nil
    ) {
        self.directory = directory
        self.database = database
        self.chunks = chunks
        self.credentialFile = credentialFile
    }

    /// Whether both places hold the same data.
    func isSame(as other: ServerPlace) -> Bool {
        database == other.database && (database != nil || directory == other.directory)
    }

    /// Whether several processes may serve the same database, so that limits on clients are counted there.
    var isShared: Bool { database != nil }
}
