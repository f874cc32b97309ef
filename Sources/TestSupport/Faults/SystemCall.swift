import CFaults

/// The daemon's system calls with outside effects, or reading bytes.
package enum SystemCall: String, CaseIterable, Sendable {
    case copyFileRange, fallocate, fchmod, fdatasync, fsync, ftruncate, ioctl, link, linkat, mkdir, mkdirat, openat,
        pread64
    case pwrite64, read, rename, renameat, renameat2, rmdir, syncfs, unlink, unlinkat, utimensat, write, writev

    /// The call's number in the kernel's table; -1 where this processor has no such call.
    package var number: Int32 {
        switch self {
        case .copyFileRange: faults_copy_file_range
        case .fallocate: faults_fallocate
        case .fchmod: faults_fchmod
        case .fdatasync: faults_fdatasync
        case .fsync: faults_fsync
        case .ftruncate: faults_ftruncate
        case .ioctl: faults_ioctl
        case .link: faults_link
        case .linkat: faults_linkat
        case .mkdir: faults_mkdir
        case .mkdirat: faults_mkdirat
        case .openat: faults_openat
        case .pread64: faults_pread64
        case .pwrite64: faults_pwrite64
        case .read: faults_read
        case .rename: faults_rename
        case .renameat: faults_renameat
        case .renameat2: faults_renameat2
        case .rmdir: faults_rmdir
        case .syncfs: faults_syncfs
        case .unlink: faults_unlink
        case .unlinkat: faults_unlinkat
        case .utimensat: faults_utimensat
        case .write: faults_write
        case .writev: faults_writev
        }
    }

    package init?(number: Int32) {
        guard let call = Self.allCases.first(where: { $0.number == number }) else { return nil }
        self = call
    }

    /// Reading calls: the process's death at any of them does no harm, but an error may.
    package static let reads: Set<SystemCall> = [.pread64, .read]

    /// The position of the path argument, after the descriptor from which the path starts; nil for calls on a
    /// descriptor.
    var pathArgument: Int? {
        switch self {
        case .link, .mkdir, .rename, .rmdir, .unlink: 0
        case .linkat, .mkdirat, .openat, .renameat, .renameat2, .unlinkat, .utimensat: 1
        default: nil
        }
    }
}
