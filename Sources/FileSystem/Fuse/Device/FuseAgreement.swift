import CFuse3
import Glibc

/// The result of FUSE_INIT: the version of the kernel's protocol, and the offered capabilities accepted by this
/// session.
package struct FuseAgreement: Sendable, Equatable {
    /// The kernel's minor version of protocol 7.
    package let kernelMinor: UInt32
    /// Whether the kernel can read and write a backing file directly. Whether this process has the privilege is known
    /// only when a backing file is registered.
    package let passthrough: Bool
    /// Whether the kernel signals when to clear set-ID bits, instead of requesting `security.capability` before each
    /// write.
    package let clearsSetID: Bool

    /// Whether the kernel sends lookups and listings of a folder in parallel instead of one by one.
    package let parallelFolders: Bool
    /// Whether the kernel no longer sends opendir and releasedir after `ENOSYS` for an opendir, and then caches
    /// listings.
    package let needsNoOpendir: Bool
    /// Whether the kernel no longer sends link after an `ENOSYS` for it, and returns `EPERM` to programs. Linux does so
    /// since 6.15, but an early version of it may share its protocol; 7.44 is the next protocol. An older kernel passes
    /// `ENOSYS` on.
    package let needsNoLink: Bool
    /// Whether programs can map files with `MAP_SHARED` while they are open for direct input and output.
    let mapsDirectFiles: Bool
    /// How requests arrive. io_uring only once its queues exist, because the kernel holds all requests until they are registered.
    package internal(set) var transport: FuseTransport
    /// Whether io_uring is to be used, if the queues can be created.
    let mayUseRings: Bool

    /// - Parameter offer: the body of FUSE_INIT.
    init(offer: kernel_fuse_init_in, options: FuseOptions, isAdministrator: Bool = cfuse_is_administrator() != 0) {
        kernelMinor = offer.minor
        let flags = Int(offer.flags)
        let isExtended = flags & KERNEL_FUSE_INIT_EXT != 0
        let offersPassthrough = isExtended && Int(offer.flags2) & KERNEL_FUSE2_PASSTHROUGH != 0
        passthrough = offersPassthrough && options.usesPassthrough
        mapsDirectFiles = isExtended && Int(offer.flags2) & KERNEL_FUSE2_DIRECT_IO_ALLOW_MMAP != 0
        clearsSetID = flags & KERNEL_FUSE_HANDLE_KILLPRIV_V2 != 0
        needsNoOpendir = flags & KERNEL_FUSE_NO_OPENDIR_SUPPORT != 0
        needsNoLink = offer.major == 7 && offer.minor >= 44
        parallelFolders = flags & KERNEL_FUSE_PARALLEL_DIROPS != 0
        let offersRings = isExtended && Int(offer.flags2) & KERNEL_FUSE2_OVER_IO_URING != 0
        mayUseRings = options.usesRings && offersRings && passthrough && isAdministrator
        let reason: FuseTransport.Reason =
            if !options.usesRings { .unwanted } else if !offersRings { .absent() } else { .noPassthrough }
        transport = .device(reason)
    }

    /// Adds to libfuse's reply the capabilities unknown to libfuse 3.14.
    func complete(_ answer: UnsafeMutablePointer<kernel_fuse_init_out>) {
        if clearsSetID { answer.pointee.flags |= UInt32(KERNEL_FUSE_HANDLE_KILLPRIV_V2) }
        // libfuse knows this flag, but did not pass it on until 3.17 (libfuse/libfuse#861).
        if parallelFolders { answer.pointee.flags |= UInt32(KERNEL_FUSE_PARALLEL_DIROPS) }
        if mapsDirectFiles {
            answer.pointee.flags |= UInt32(KERNEL_FUSE_INIT_EXT)
            answer.pointee.flags2 |= UInt32(KERNEL_FUSE2_DIRECT_IO_ALLOW_MMAP)
        }
        guard passthrough else { return }
        // 7.40 is the first protocol with backing files. Depth 1: a backing file may lie on any non-stacked file
        // system.
        answer.pointee.minor = max(answer.pointee.minor, 40)
        answer.pointee.flags |= UInt32(KERNEL_FUSE_INIT_EXT)
        answer.pointee.flags2 |= UInt32(KERNEL_FUSE2_PASSTHROUGH)
        answer.pointee.max_stack_depth = 1
        guard case .rings = transport else { return }
        // The payload of an entry limits a request's size. 7.42 is the first protocol with queues.
        answer.pointee.minor = max(answer.pointee.minor, 42)
        answer.pointee.flags2 |= UInt32(KERNEL_FUSE2_OVER_IO_URING)
        answer.pointee.max_write = min(answer.pointee.max_write, UInt32(RingMemory.payloadSize))
        answer.pointee.max_pages = min(answer.pointee.max_pages, UInt16(RingMemory.payloadSize / Int(getpagesize())))
    }
}
