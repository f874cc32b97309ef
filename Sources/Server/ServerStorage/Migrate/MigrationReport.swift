/// The work of a migration, for its progress and its result.
package struct MigrationReport: Hashable, Sendable, Codable {
    /// Rows copied by this run.
    package internal(set) var copiedRows: UInt64 = 0
    /// Chunks examined, and chunks in total; zero while rows are copied.
    package internal(set) var chunks = 0
    package internal(set) var totalChunks = 0
    /// The number of chunks copied by this run; the rest already existed.
    package internal(set) var copiedChunks = 0
    package internal(set) var copiedBytes: UInt64 = 0
    /// Chunks found, with their sizes, after all had been copied.
    package internal(set) var verifiedChunks = 0
    /// Chunks whose bytes the source has lost. Devices with these chunks send them again.
    package internal(set) var lostChunks = 0
    /// The rows of each table. Empty until the migration is complete.
    package internal(set) var rows: [String: UInt64] = [:]
}
