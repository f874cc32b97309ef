import Glibc

/// A path's status by `lstat(2)`.
struct FileStatus {
    let kind: mode_t
    let mode: mode_t
    let size: off_t
    let accessed: timespec
    let modified: timespec

    /// Nil if there is nothing, with the reason in `errno`.
    init?(_ path: [UInt8]) {
        var status = stat()
        guard lstat(terminated(path), &status) == 0 else { return nil }
        (kind, mode) = (status.st_mode & S_IFMT, status.st_mode & 0o7777)
        (size, accessed, modified) = (status.st_size, status.st_atim, status.st_mtim)
    }
}
