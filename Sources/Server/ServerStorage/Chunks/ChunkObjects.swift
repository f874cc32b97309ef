import CloudModel

/// The frames of chunks: files of a directory, or objects of a bucket. Rows say which of them count.
///
/// Names are those of ``ChunkPlace``. Errors are ``StorageError`` and `CancellationError`.
protocol ChunkObjects: Sendable {
    /// Whether frames are files of this machine, whose disk all accounts share.
    var isLocal: Bool { get }

    /// Returns the epoch for names of frames that are put now; nil where names have no suffix.
    func epoch(_ db: any StorageTransaction) throws -> Int64?

    /// Whether a frame that was written is there and will stay. Called in the transaction that adds its row.
    ///
    /// - Parameter epoch: The epoch in that transaction.
    func stays(_ place: ChunkPlace, in epoch: Int64?) -> Bool

    /// Writes frames. On return all of them are complete and durable, and so are their names.
    func write(_ chunks: [(place: ChunkPlace, frame: [UInt8])]) async throws

    /// Reads a range of a frame's bytes.
    ///
    /// - Returns: Nil if the frame is missing.
    /// - Throws: `damaged` for a frame of another length.
    func read(_ place: ChunkPlace, _ range: Range<Int>) async throws -> [UInt8]?

    /// Returns a URL with which everyone can read a frame for some time; nil where only the server can read it.
    func link(to place: ChunkPlace, for lifetime: Duration) async throws -> String?

    /// Returns the first `length` bytes of frames; none of those that are missing or damaged.
    func heads(of places: [ChunkPlace], _ length: Int) async throws -> [[UInt8]]

    /// Whether there is a frame of that name and size.
    func exists(_ place: ChunkPlace) async throws -> Bool

    /// Begins a search for frames without a row.
    ///
    /// - Returns: The argument of ``forEachName(in:settledBefore:_:)``.
    func beginSweep() async throws -> Int64

    /// Calls `visit` with names, page by page, until it returns false.
    ///
    /// - Parameters:
    ///   - containers: All containers; a bucket lists those that were removed as well.
    ///   - mark: What ``beginSweep()`` returned: only names to which no put under way can add a row any more are visited. Nil: all names.
    func forEachName(
        in containers: [Int64], settledBefore mark: Int64?, _ visit: ([String]) async throws -> Bool) async throws

    /// Removes frames that have no row. Those that have one stay.
    ///
    /// - Returns: How many were removed.
    func remove(_ names: [String], in database: any StorageDatabase) async throws -> Int

    /// Removes all frames of a container, whose rows have been removed.
    func removeAll(of container: Int64) async throws

    /// Writes the number of the database's generation where it does not move with the database, as frames are written.
    ///
    /// - Returns: The number that is there then, which may be that of another process.
    func keep(generation: Int64) async throws -> Int64

    /// Returns that number; nil if there is none.
    func generation() async throws -> Int64?

    /// Returns how many bytes may still be written; nil if there is no limit.
    func freeBytes() async throws -> UInt64?
}
