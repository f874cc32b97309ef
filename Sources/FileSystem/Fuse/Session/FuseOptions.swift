import Glibc

/// How a session is mounted and served.
package struct FuseOptions: Sendable {
    /// The mount's source in the mount table, and its type there after `fuse.`.
    package var name = "ubiquity"
    /// Whether users other than the mounting user may enter; nil: only if that user is root. For an ordinary user this
    /// needs `user_allow_other` in /etc/fuse.conf.
    package var allowsOthers: Bool?
    package var isReadOnly = false
    /// The number of threads reading requests; each request stays on the thread that read it. The processor count plus
    /// 1, for a disk-bound handler; further threads only slow each other down.
    package var readerCount = min(8, max(3, sysconf(Int32(_SC_NPROCESSORS_ONLN)) + 1))
    /// Gives each reader a separate channel (FUSE_DEV_IOC_CLONE), if /dev/fuse can be opened.
    package var clonesDevice = true
    /// The largest write, in bytes: libfuse and the kernel support at most 1 MiB.
    package var maximumWrite = 1 << 20
    /// The maximum number of asynchronous reads in flight. With the kernel's default of 12, a dozen stalled downloads
    /// would stop the read-ahead of every other file.
    package var maximumBackground = 256
    /// Whether to request backing files from the kernel.
    package var usesPassthrough = true

    /// Whether to use io_uring if the kernel offers it and this process has the privilege for passthrough.
    package var usesRings = true
    /// The maximum number of entries in the queues of all processors together. Each request waiting for bytes takes
    /// one.
    package var ringEntries = 8192

    package init() {}

    var isOpenToOthers: Bool { allowsOthers ?? (geteuid() == 0) }
}
