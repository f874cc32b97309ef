import Glibc

/// How a session is mounted and served.
package struct FuseOptions: Sendable {
    /// The mount's source in the mount table, and its type there after `fuse.`.
    package var name = "ubiquity"
    /// Whether users other than the one who mounts may enter; nil: only if that user is root. For an ordinary user this needs
    /// `user_allow_other` in /etc/fuse.conf.
    package var allowsOthers: Bool?
    package var isReadOnly = false
    /// How many threads read requests; each request stays on the thread that read it. One more than there are processors, for the handler
    /// that waits for the disk; further threads only slow each other down.
    package var readerCount = min(8, max(3, sysconf(Int32(_SC_NPROCESSORS_ONLN)) + 1))
    /// Gives each reader a channel of its own (FUSE_DEV_IOC_CLONE), where /dev/fuse may be opened.
    package var clonesDevice = true
    /// The largest write, in bytes: 1 MiB is the most that libfuse and the kernel support.
    package var maximumWrite = 1 << 20
    /// How many asynchronous reads may be in flight at once. With the kernel's default of 12, a dozen stalled downloads would stop the
    /// read-ahead of every other file.
    package var maximumBackground = 256
    /// Whether to request backing files from the kernel.
    package var usesPassthrough = true

    /// Whether to use io_uring where the kernel offers it and this process has the privilege for passthrough.
    package var usesRings = true
    /// How many entries the queues of all processors may have together. Each request that waits for bytes takes one.
    package var ringEntries = 8192

    package init() {}

    var isOpenToOthers: Bool { allowsOthers ?? (geteuid() == 0) }
}
