import CLinux
import Glibc

/// Blocks of the disk for the files that SQLite makes at each start, as the disk may be full then and others take what is free.
///
/// `-reserve` has those of the write-ahead log while the database is closed, as SQLite deletes the log; `-reserve-shm1` to `4` those of the index
/// of the log, which each start truncates. Both take the place of the real ones before the database is opened. To SQLite they are empty.
struct KeptBlocks: Sendable {
    private static let indexSize = 64 << 10
    /// Each start takes those of one index; after so many deaths on a disk that stays full a start needs room.
    private static let indexes = 4

    /// Of the database.
    let path: String

    var log: String { "\(path)-wal" }
    private var keptLog: String { "\(path)-reserve" }
    private var keptIndexes: [String] { (1...Self.indexes).map { "\(path)-reserve-shm\($0)" } }

    /// To be called before the database is opened.
    func putInPlace() {
        guard access(path, F_OK) == 0 else { return }
        var status = stat()
        if stat(log, &status) == 0, status.st_size > 0 {
            // The process before this one died as it closed: it may be the same file.
            unlink(keptLog)
        } else {
            emptyLog()
            _ = rename(keptLog, log)
        }
        // No other process uses the database, so what its index says is void.
        let index = "\(path)-shm"
        if keptIndexes.contains(where: { rename($0, index) == 0 }) { return }
        // Memory that is mapped without blocks behind it would kill this process (mmap(2), SIGBUS).
        _ = Self.keep(Self.indexSize, in: index)
    }

    /// Keeps blocks for the index of the next start, if none are kept.
    func keepIndex() {
        for index in keptIndexes where access(index, F_OK) != 0 { _ = Self.keep(Self.indexSize, in: index) }
    }

    /// Keeps blocks for the log of the next start. On a full disk these are the log's own, which SQLite is about to delete.
    func keepLog() {
        unlink(keptLog)
        if !Self.keep(SpaceReserve.logReserve, in: keptLog) { _ = link(log, keptLog) }
    }

    /// To be called when the database is closed.
    func finishLog() {
        // Still there under its own name: SQLite has not deleted it, and needs what it holds.
        if access(log, F_OK) == 0 { unlink(keptLog) } else { emptyLog() }
    }

    /// Makes an empty file with so many bytes of blocks. False where the disk does not have them.
    ///
    /// A new file, never a truncated one: a connection of this process that was not closed may have the old one mapped.
    private static func keep(_ size: Int, in path: String) -> Bool {
        unlink(path)
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { return false }
        defer { close(file) }
        guard linux_fallocate(file, DatabaseSpace.keepSize, 0, Int64(size)) != 0 else { return true }
        unlink(path)
        return false
    }

    /// What stands in it must never be taken for a log of this or another database. Cut to nothing it would lose its blocks.
    private func emptyLog() {
        let file = open(keptLog, O_RDWR | O_CLOEXEC)
        guard file >= 0 else { return }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_size > 0 else { return }
        let size = min(Int(status.st_size), SpaceReserve.logReserve)
        let zeros = [UInt8](repeating: 0, count: size)
        let isCut = size == Int(status.st_size) || ftruncate(file, off_t(size)) == 0
        if !isCut || pwrite(file, zeros, size, 0) != size { unlink(keptLog) }
    }
}
