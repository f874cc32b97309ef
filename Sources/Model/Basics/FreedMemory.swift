import CLinux

/// Memory freed by this process.
package enum FreedMemory {
    /// In bytes.
    private static let mapped: Int32 = 256 << 10
    private static let kept: Int32 = 1 << 20

    /// Returns large blocks to the system when they are freed.
    ///
    /// Whenever glibc frees a separately mapped block, it maps only larger blocks from then on, up to 32 MiB
    /// (mallopt(3), M_MMAP_THRESHOLD). Later blocks of this size are in the arenas of threads, and each arena keeps
    /// twice as much when it is free. Explicit limits stay fixed.
    package static func goesBack() {
        linux_set_allocator(LINUX_MAPPED_FROM, mapped)
        linux_set_allocator(LINUX_KEPT, kept)
    }
}
