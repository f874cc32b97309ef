import Glibc

/// How a session is mounted and served.
package struct FuseOptions: Sendable {
    /// What the mount table shows as source, and after `fuse.` as type.
    package var name = "ubiquity"
    /// Whether users other than the one who mounts may enter; nil: only if that is root. An ordinary user needs
    /// `user_allow_other` in /etc/fuse.conf for it.
    package var allowsOthers: Bool?
    package var isReadOnly = false
    /// How many threads read requests, each request staying on the thread that read it. One more than there are
    /// processors, for the handler that waits for the disk; more only slow each other down.
    package var readerCount = min(8, max(3, sysconf(Int32(_SC_NPROCESSORS_ONLN)) + 1))
    /// Gives each reader a channel of its own (FUSE_DEV_IOC_CLONE), where /dev/fuse may be opened.
    package var clonesDevice = true
    /// The largest write, in bytes: 1 MiB is what libfuse and the kernel can do.
    package var maximumWrite = 1 << 20
    /// How many asynchronous reads may be under way at once. The kernel's own 12 would let a dozen stalled downloads
    /// stop the read-ahead of every other file.
    package var maximumBackground = 256
    /// Asks the kernel for backing files.
    package var usesPassthrough = true

    package init() {}

    var isOpenToOthers: Bool { allowsOthers ?? (geteuid() == 0) }
}
