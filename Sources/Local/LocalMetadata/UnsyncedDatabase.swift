import Basics
import Glibc
import Logging

/// A database with a failed sync: the disk may lack data of its two files shown by the kernel, regardless of later
/// syncs.
///
/// A marker file beside it makes the next process rewrite both files. It is not synced: a power failure also removes
/// the data that only the kernel had.
struct UnsyncedDatabase {
    let path: String

    private var mark: String { "\(path)-unsynced" }

    func mark(_ log: Logger) {
        let file = open(mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard file < 0 else {
            close(file)
            return
        }
        log.error(
            "the failed sync cannot be recorded", metadata: ["error": "\(Errno(errno, "open \(mark)"))"])
    }

    /// Rewrites both files if they are marked. Called before they are opened.
    func renew() throws(Errno) {
        guard access(mark, F_OK) == 0 else { return }
        let slash = path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex
        let (name, parent) = (path[slash...], slash == path.startIndex ? "." : "\(path[..<slash])")
        let folder = Int32(try check("open \(parent)") { open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC) })
        defer { close(folder) }
        for file in ["\(name)", "\(name)-wal"] where faccessat(folder, file, F_OK, 0) == 0 {
            try FileRenewal.copy(file, in: folder)
            try FileRenewal.install(file, in: folder, parent: ".")
        }
        try check("unlink") { unlinkat(folder, "\(name)-unsynced", 0) }
    }
}
