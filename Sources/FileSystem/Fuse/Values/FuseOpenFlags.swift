import CFuse3
import Glibc

/// The flags of an `open(2)`. The kernel handles O_CREAT, O_EXCL and O_NOCTTY itself and does not pass them on.
package struct FuseOpenFlags: RawRepresentable, Sendable, Hashable {
    package let rawValue: Int32
    /// Whether the truncation of O_TRUNC drops the set-user-ID and set-group-ID bits.
    package var clearsSetID = false

    package init(rawValue: Int32) { self.rawValue = rawValue }

    package var isReading: Bool { rawValue & O_ACCMODE != O_WRONLY }
    package var isWriting: Bool { rawValue & O_ACCMODE != O_RDONLY }
    package var truncates: Bool { rawValue & O_TRUNC != 0 }
    /// O_NOATIME: the program looks at a file for its own purposes; its user does not read it.
    package var keepsAccessTime: Bool { rawValue & cfuse_open_noatime() != 0 }
}

/// The flags of a `renameat2(2)`.
package struct FuseRenameFlags: OptionSet, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// RENAME_NOREPLACE: fails with EEXIST instead of replacing.
    package static let noReplace = FuseRenameFlags(rawValue: 1)
    /// RENAME_EXCHANGE: swaps the two.
    package static let exchange = FuseRenameFlags(rawValue: 2)
}

/// How the kernel treats an open file or folder, the FOPEN flags of its protocol.
package struct FuseOpenOptions: OptionSet, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    private init(_ flag: Int) { rawValue = UInt32(flag) }

    /// Bypass the page cache: each read and write of a program is a request.
    package static let directIO = FuseOpenOptions(KERNEL_FOPEN_DIRECT_IO)
    /// Keep the page cache's contents of the file from earlier opens.
    package static let keepCache = FuseOpenOptions(KERNEL_FOPEN_KEEP_CACHE)
    package static let nonSeekable = FuseOpenOptions(KERNEL_FOPEN_NONSEEKABLE)
    /// Let the kernel cache the folder's entries until invalidated.
    package static let cacheFolder = FuseOpenOptions(KERNEL_FOPEN_CACHE_DIR)
    /// Send no flush when the file is closed, unless there are dirty pages.
    package static let noFlush = FuseOpenOptions(KERNEL_FOPEN_NOFLUSH)
    /// Allow parallel direct writes to a file.
    package static let parallelDirectWrites = FuseOpenOptions(KERNEL_FOPEN_PARALLEL_DIRECT_WRITES)
}

/// The reply to an open, opendir or create.
package struct FuseOpened: Sendable {
    package var handle: FuseHandle
    package var options: FuseOpenOptions
    /// The file read and written by the kernel instead of sending requests. Options other than direct input and output,
    /// parallel writes and no flush are then left out, as the kernel refuses them together with it.
    package var backing: FuseBacking?

    package init(handle: FuseHandle, options: FuseOpenOptions = [], backing: FuseBacking? = nil) {
        self.handle = handle
        self.options = options
        self.backing = backing
    }

    private static let besidesPassthrough: FuseOpenOptions = [.directIO, .parallelDirectWrites, .noFlush]

    var patch: ReplyPatch {
        guard let backing else { return .open(flags: options.rawValue, backing: 0) }
        let flags = options.intersection(Self.besidesPassthrough).rawValue | UInt32(KERNEL_FOPEN_PASSTHROUGH)
        return .open(flags: flags, backing: backing.id)
    }

    var fileInfo: fuse_file_info {
        var info = fuse_file_info()
        info.fh = handle
        return info
    }
}
