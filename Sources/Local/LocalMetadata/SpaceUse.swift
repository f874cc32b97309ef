/// A transaction's effect on its disk's space. On a full disk, it decides how much of the database's reserve may be
/// used.
package enum SpaceUse: Sendable {
    /// Uses none of the reserve: it fails with `noSpace` if the disk has no further room.
    case ordinary
    /// Appends to the log, after which bytes can be evicted: it may use half of the reserve.
    case uploading
    /// Removes, truncates or evicts, or records a program's changes to bytes: it may use all of the reserve.
    case freeing

    /// Returns how much of a reserve of `size` it must leave.
    func rest(of size: Int) -> Int {
        switch self {
        case .ordinary: size
        case .uploading: size / 2
        case .freeing: 0
        }
    }
}

/// Tracks the disk space of the database's two files, and whether a transaction may use it. Pure.
///
/// The reserve is space the files already have, so that no other program can take it: blocks behind the end of the
/// write-ahead log, and free pages within the database. The log is written from its start again after a checkpoint, so
/// its part becomes available again; the database's part is refilled when the disk has room.
struct SpaceReserve {
    static let pageSize = 4096
    /// Bytes of the log reserved for space-freeing transactions: about 60 small ones between two checkpoints.
    static let logReserve = 1 << 20
    /// Bytes of the log assumed for a transaction. A larger transaction may use the reserve, which the next checkpoint
    /// restores.
    static let logStep = 512 << 10
    /// The number of free pages reserved within the database: a removal needs a few dozen bytes of them.
    static let pageReserve = 256
    /// The number of additional pages to allocate when there are fewer.
    static let pageStep = 64

    /// Bytes of the log with blocks, from its start.
    var logAllocated = 0
    /// Bytes of the log with uncheckpointed commits.
    var logUsed = 0
    /// Pages of the database with blocks.
    var pagesAllocated = 0
    /// The number of free pages at the end of the last admitted transaction.
    private var freePages = 0

    /// Returns the size of a log with this many frames (sqlite.org/fileformat2.html#walformat).
    static func logSize(frames: Int) -> Int { frames == 0 ? 0 : 32 + frames * (24 + pageSize) }

    mutating func noteLog(frames: Int) { logUsed = Self.logSize(frames: frames) }

    /// The log's intended size before an ordinary transaction.
    var wantedLog: Int { logUsed + Self.logReserve + Self.logStep }

    /// Returns whether the log has room for a transaction without the part of the reserve it must leave.
    func hasLog(for use: SpaceUse) -> Bool {
        logAllocated >= logUsed + use.rest(of: Self.logReserve)
            + (use == .ordinary ? Self.logStep / 2 : Self.logStep / 8)
    }

    /// Returns whether the database may have grown in a transaction leaving this many free pages. SQLite takes free
    /// pages first, so a database with as many of them as before did not grow. The exception, a transaction that
    /// used all of them and then freed exactly as many, counts as soon as their number changes.
    ///
    /// The number of all pages is requested only then: SQLite compiles `PRAGMA page_count` each time, which takes 4 %
    /// of a removal.
    func mayHaveGrown(free: Int) -> Bool {
        free != freePages || free < Self.pageReserve || pagesAllocated == 0
    }

    mutating func noteFree(_ free: Int) { freePages = free }

    /// Returns how many pages to add to a database of `pages`, of which `free` are free; 0 if it has its reserve and
    /// blocks for all of it.
    func growth(pages: Int, free: Int) -> Int {
        guard free < Self.pageReserve else { return pages > pagesAllocated ? 1 : 0 }
        return Self.pageReserve + Self.pageStep - free
    }

    /// Whether the log has room for a transaction including all free pages of a database with its reserve.
    var hasLogToFill: Bool {
        let fill = (Self.pageReserve + Self.pageStep) * (24 + Self.pageSize)
        return logAllocated >= logUsed + fill + Self.logStep / 8
    }

    /// Returns whether a transaction may leave a database of this size if the disk provides no more space.
    func admits(_ use: SpaceUse, pages: Int, free: Int) -> Bool {
        pages <= pagesAllocated && free >= use.rest(of: Self.pageReserve)
    }
}
