import CLinux
import Glibc

/// Keeps disk blocks for the files created by SQLite at each start, because the disk may be full by then and other
/// processes take free blocks.
///
/// `-reserve` has the blocks of the write-ahead log while the database is closed, as SQLite deletes the log;
/// `-reserve-shm1` to `4` have those of the log's index, which each start truncates. Both replace the real files before
/// the database is opened. To SQLite they are empty.
struct KeptBlocks: Sendable {
    private static let indexSize = 64 << 10
    /// Each start uses the blocks of an index; after this many crashes on a full disk, a start needs free space.
    private static let indexes = 4

    /// The path of the database.
    let path: String

    var log: String { "\(path)-wal" }
    private var keptLog: String { "\(path)-reserve" }
    private var keptIndexes: [String] { (1...Self.indexes).map { "\(path)-reserve-shm\($0)" } }

    /// Installs the kept blocks. Must be called before the database is opened.
    func putInPlace() {
        guard access(path, F_OK) == 0 else { return }
        var status = stat()
        if stat(log, &status) == 0, status.st_size > 0 {
            // The previous process died while closing: both names may be links of the same file.
            unlink(keptLog)
        } else {
            emptyLog()
            _ = rename(keptLog, log)
        }
        // No other process uses the database, so the contents of its index are void.
        let index = "\(path)-shm"
        if keptIndexes.contains(where: { rename($0, index) == 0 }) { return }
        // A write to mapped memory without blocks would kill this process (mmap(2), SIGBUS).
        _ = Self.keep(Self.indexSize, in: index)
    }

    /// Keeps blocks for the index of the next start, if none are kept.
    func keepIndex() {
        for index in keptIndexes where access(index, F_OK) != 0 { _ = Self.keep(Self.indexSize, in: index) }
    }

    /// Keeps blocks for the log of the next start. On a full disk these are the current log's, which SQLite is about to
    /// delete.
    func keepLog() {
        unlink(keptLog)
        if !Self.keep(SpaceReserve.logReserve, in: keptLog) { _ = link(log, keptLog) }
    }

    /// Finishes the log's reserve. Must be called when the database is closed.
    func finishLog() {
        // If the log still exists under its own name, SQLite has not deleted it and needs its contents.
        if access(log, F_OK) == 0 { unlink(keptLog) } else { emptyLog() }
    }

    /// Creates an empty file with that many bytes of allocated blocks. Returns false if the disk does not have them.
    ///
    /// Always a new file, never a truncated one: an unclosed connection of this process may have the old file mapped.
    private static func keep(_ size: Int, in path: String) -> Bool {
        unlink(path)
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { return false }
        defer { close(file) }
        guard linux_fallocate(file, DatabaseSpace.keepSize, 0, Int64(size)) != 0 else { return true }
        unlink(path)
        return false
    }

    /// Overwrites the contents, which must never be taken for a log of any database. Truncating the file would free its
    /// blocks.
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
