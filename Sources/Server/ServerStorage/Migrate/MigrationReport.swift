/// What a migration has copied, for its progress and its result.
package struct MigrationReport: Hashable, Sendable, Codable {
    /// Rows that this run has copied.
    package internal(set) var copiedRows: UInt64 = 0
    /// Chunks that were looked at, and chunks in total; zero while rows are copied.
    package internal(set) var chunks = 0
    package internal(set) var totalChunks = 0
    /// Of those, the chunks that this run has copied; the others were there already.
    package internal(set) var copiedChunks = 0
    package internal(set) var copiedBytes: UInt64 = 0
    /// Chunks that were found, with their sizes, after all had been copied.
    package internal(set) var verifiedChunks = 0
    /// Chunks whose bytes the source has lost. Devices that have them send them again.
    package internal(set) var lostChunks = 0
    /// The rows of each table. Empty until the migration is complete.
    package internal(set) var rows: [String: UInt64] = [:]
}
