import CloudModel

/// The frames of chunks: files of a directory, or objects of a bucket. Rows decide which frames count.
///
/// Names are those of ``ChunkPlace``. Errors are ``StorageError`` and `CancellationError`.
protocol ChunkObjects: Sendable {
    /// Whether frames are files of this machine, on a disk shared by all accounts.
    var isLocal: Bool { get }

    /// Returns the epoch for names of new frames; nil for names without a suffix.
    func epoch(_ db: any StorageTransaction) throws -> Int64?

    /// Whether a written frame exists and will stay. Called in the transaction adding its row.
    ///
    /// - Parameter epoch: The epoch in that transaction.
    func stays(_ place: ChunkPlace, in epoch: Int64?) -> Bool

    /// Writes frames. On return all frames and their names are complete and durable.
    func write(_ chunks: [(place: ChunkPlace, frame: [UInt8])]) async throws

    /// Reads a range of a frame's bytes.
    ///
    /// - Returns: Nil if the frame is missing.
    /// - Throws: `damaged` for a frame of a different length.
    func read(_ place: ChunkPlace, _ range: Range<Int>) async throws -> [UInt8]?

    /// Returns a temporary URL for reading a frame without authentication; nil if only the server can read it.
    func link(to place: ChunkPlace, for lifetime: Duration) async throws -> String?

    /// Returns the first `length` bytes of frames, leaving out missing or damaged frames.
    func heads(of places: [ChunkPlace], _ length: Int) async throws -> [[UInt8]]

    /// Whether there is a frame with this name and size.
    func exists(_ place: ChunkPlace) async throws -> Bool

    /// Begins a search for frames without a row.
    ///
    /// - Returns: The argument of ``forEachName(in:settledBefore:_:)``.
    func beginSweep() async throws -> Int64

    /// Calls `visit` with names, page by page, until it returns false.
    ///
    /// - Parameters:
    ///   - containers: All containers; a bucket lists removed containers as well.
    ///   - mark: The result of ``beginSweep()``: only names to which no put under way can still add a row are visited.
    ///     Nil: all names.
    func forEachName(
        in containers: [Int64], settledBefore mark: Int64?, _ visit: ([String]) async throws -> Bool) async throws

    /// Removes frames without a row. Frames with a row stay.
    ///
    /// - Returns: How many were removed.
    func remove(_ names: [String], in database: any StorageDatabase) async throws -> Int

    /// Removes all frames of a container whose rows have been removed.
    func removeAll(of container: Int64) async throws

    /// Writes the number of the database's generation to a place that does not move with the database, in the same way
    /// as frames.
    ///
    /// - Returns: The number found there afterwards, possibly a different process's.
    func keep(generation: Int64) async throws -> Int64

    /// Returns that number; nil if there is none.
    func generation() async throws -> Int64?

    /// Returns the remaining capacity in bytes; nil if there is no limit.
    func freeBytes() async throws -> UInt64?
}
