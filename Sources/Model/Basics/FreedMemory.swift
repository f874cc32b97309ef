import CLinux

/// Memory that this process has freed.
package enum FreedMemory {
    /// In bytes.
    private static let mapped: Int32 = 256 << 10
    private static let kept: Int32 = 1 << 20

    /// Makes large blocks go back to the system when they are freed.
    ///
    /// Whenever glibc frees a block that was mapped on its own, it maps only larger ones from then on, up to 32 MiB (mallopt(3),
    /// M_MMAP_THRESHOLD). Later blocks of this size are in the arenas of threads, and each arena keeps twice as much when it is free. Limits
    /// that are set stay as they are.
    package static func goesBack() {
        linux_set_allocator(LINUX_MAPPED_FROM, mapped)
        linux_set_allocator(LINUX_KEPT, kept)
    }
}
