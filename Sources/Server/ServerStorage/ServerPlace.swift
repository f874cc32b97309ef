package import S3Client

/// Where a server keeps its data: everything in one directory, or rows in PostgreSQL and bytes in a bucket, which any number of processes
/// share.
package struct ServerPlace: Hashable, Sendable {
    /// The directory of a server that has all its data in one; of a process of a cluster, a directory for what may be lost: folded logs
    /// and temporary files. One process uses it at a time.
    package var directory: String
    /// Where the rows are; nil: in SQLite, in the directory.
    package var database: PostgresAddress?
    /// Where the chunks are; nil: in files of the directory.
    package var chunks: S3Location?
    /// The file with the bucket's credentials, which only its owner may be able to read (`S3CredentialFile`). Without one, the environment
    /// or a profile of Amazon's tools has them.
    package var credentialFile: String?

    package init(
        directory: String, database: PostgresAddress? = nil, chunks: S3Location? = nil, credentialFile: String? = nil
    ) {
        self.directory = directory
        self.database = database
        self.chunks = chunks
        self.credentialFile = credentialFile
    }

    /// Whether this is the same data as that of another place.
    func isSame(as other: ServerPlace) -> Bool {
        database == other.database && (database != nil || directory == other.directory)
    }

    /// Whether other processes may serve the same database, so that what bounds clients is counted there.
    var isShared: Bool { database != nil }
}
