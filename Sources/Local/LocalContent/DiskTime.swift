package import Basics
import CLinux
import Glibc

/// The kernel's clock for file times, read from a file in memory by touching it.
///
/// CLOCK_REALTIME is ahead of that clock by up to a tick (Documentation/filesystems/multigrain-ts.rst): a file created
/// at a time of one and written at a time of the other could seem to be written before its creation. Each reading is
/// later than every earlier file time, as far as the kernel distinguishes them, and no later file time is before it.
package final class DiskTime: TimeSource {
    private let file: Int32

    package init() throws(Errno) { file = try check("memfd_create") { linux_memory_file("ubiquity-clock") } }

    deinit { close(file) }

    package func now() -> Timestamp {
        var status = stat()
        // For a file in memory of this process, both calls fail only if the descriptor is not open.
        guard futimens(file, nil) == 0, fstat(file, &status) == 0 else { return SystemTime().now() }
        return Timestamp(status.st_ctim)
    }
}
