import Basics
import Glibc

/// File descriptors reserved for the process itself: its database, the cloud, clients, and the libraries, of which
/// libdispatch ends the process if it cannot open a file of /proc (`_dispatch_workq_count_runnable_workers`).
///
/// Each file held open by programs takes one. The kernel gives the lowest free number, so a high number shows that few
/// are left.
package enum DescriptorReserve {
    private static let size: Int32 = 64
    /// The limit of open files (RLIMIT_NOFILE) below which none would be left for programs.
    package static let lowestLimit = 256

    /// The first number withheld from programs, by the limit at the first call.
    private static let end = Int32(clamping: limit) - size

    /// The current limit of this process.
    package static var limit: UInt64 {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        return UInt64(limit.rlim_cur)
    }

    /// Throws `ENFILE` for a descriptor of the reserve.
    static func admit(_ descriptor: Int32) throws(Errno) {
        guard descriptor < end else { throw Errno(ENFILE, "the daemon has too many files open") }
    }
}
