/// What a transaction does to the space of its disk. Once the disk is full, that decides how much of the database's reserve it may use.
package enum SpaceUse: Sendable {
    /// Leaves the reserve alone: it fails with `noSpace` where the disk has no room beside it.
    case ordinary
    /// Leads to bytes that can be evicted, since it appends them to the log: it may use half of the reserve.
    case uploading
    /// Removes, truncates or evicts, or notes what a program has done to bytes: it may use all of the reserve.
    case freeing

    /// What it has to leave of a reserve of `size`.
    func rest(of size: Int) -> Int {
        switch self {
        case .ordinary: size
        case .uploading: size / 2
        case .freeing: 0
        }
    }
}

/// How much of the disk the two files of the database have, and whether a transaction may use it. Pure.
///
/// The reserve is space that the files already have, so that no other program can take it: blocks behind the end of the write-ahead log,
/// and free pages within the database. The log is written from its start again after a checkpoint, so its part comes back; the part
/// in the database comes back when the disk has room.
struct SpaceReserve {
    static let pageSize = 4096
    /// Bytes of the log that are kept for what frees space: about 60 small transactions between two checkpoints.
    static let logReserve = 1 << 20
    /// Bytes of the log that a transaction is assumed to need. A larger one may run into the reserve, which the next checkpoint gives back.
    static let logStep = 512 << 10
    /// Free pages within the database that are kept: a removal needs a few dozen bytes of them.
    static let pageReserve = 256
    /// How many more are made when there are fewer.
    static let pageStep = 64

    /// Blocks of the log, from its start.
    var logAllocated = 0
    /// Bytes of the log that hold commits not yet carried over.
    var logUsed = 0
    /// Pages that the database has blocks for.
    var pagesAllocated = 0

    mutating func noteLog(frames: Int) { logUsed = frames == 0 ? 0 : 32 + frames * (24 + Self.pageSize) }

    /// What the log should have before an ordinary transaction.
    var wantedLog: Int { logUsed + Self.logReserve + Self.logStep }

    /// Whether the log has room for a transaction without what it has to leave.
    func hasLog(for use: SpaceUse) -> Bool {
        logAllocated >= logUsed + use.rest(of: Self.logReserve)
            + (use == .ordinary ? Self.logStep / 2 : Self.logStep / 8)
    }

    /// Pages to add to a database of `pages`, of which `free` are free; 0 where it has its reserve and blocks for all of it.
    func growth(pages: Int, free: Int) -> Int {
        guard free < Self.pageReserve else { return pages > pagesAllocated ? 1 : 0 }
        return Self.pageReserve + Self.pageStep - free
    }

    /// Whether a transaction may leave a database like that where the disk gives it nothing more.
    func admits(_ use: SpaceUse, pages: Int, free: Int) -> Bool {
        pages <= pagesAllocated && free >= use.rest(of: Self.pageReserve)
    }
}
