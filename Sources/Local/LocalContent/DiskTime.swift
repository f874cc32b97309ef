package import Basics
import CLinux
import Glibc

/// The clock that the kernel stamps files with, read off a file in memory that is touched for it.
///
/// CLOCK_REALTIME runs ahead of that clock by up to a tick (Documentation/filesystems/multigrain-ts.rst): a file made at a time of
/// the one and written at a time of the other would grow younger. Each reading is later than every stamp before it, as far as the
/// kernel distinguishes them, and no later stamp is before it.
package final class DiskTime: TimeSource {
    private let file: Int32

    package init() throws(Errno) { file = try check("memfd_create") { linux_memory_file("ubiquity-clock") } }

    deinit { close(file) }

    package func now() -> Timestamp {
        var status = stat()
        // A file in memory of our own: both can only fail with a number that is not open.
        guard futimens(file, nil) == 0, fstat(file, &status) == 0 else { return SystemTime().now() }
        return Timestamp(status.st_ctim)
    }
}
