import CFuse3

/// The table of callbacks for libfuse: each parses a request and passes it on as typed values.
///
/// The callbacks are in a type and not in top-level code: callbacks written there belong to the main actor and trap on
/// the readers' threads. There is none for locks, so the kernel keeps them, and none for `access`, `bmap`, `ioctl`,
/// `poll`.
enum FuseOperations {
    static var table: fuse_lowlevel_ops {
        var table = fuse_lowlevel_ops()
        table.`init` = { _, information in
            guard let information else { return }
            let reader = FuseReader.current
            FuseOperations.negotiate(&information.pointee, reader.connection.options, reader.agreement)
            reader.connection.fileSystem.start(reader.agreement)
        }
        addNodes(to: &table)
        addNames(to: &table)
        addFiles(to: &table)
        addFolders(to: &table)
        addExtendedAttributes(to: &table)
        return table
    }

    /// Capabilities requested although libfuse's defaults leave them out.
    private static let wanted = [
        FUSE_CAP_ASYNC_READ, FUSE_CAP_ATOMIC_O_TRUNC, FUSE_CAP_SPLICE_WRITE, FUSE_CAP_SPLICE_MOVE,
        FUSE_CAP_READDIRPLUS, FUSE_CAP_READDIRPLUS_AUTO, FUSE_CAP_ASYNC_DIO, FUSE_CAP_PARALLEL_DIROPS,
        FUSE_CAP_CACHE_SYMLINKS, FUSE_CAP_EXPLICIT_INVAL_DATA, FUSE_CAP_EXPORT_SUPPORT,
    ]

    /// Capabilities declined although libfuse's defaults may request them: locks stay with the kernel, cached pages
    /// stay until they are invalidated, and a write has reached this process when `write(2)` returns.
    private static let unwanted = [
        FUSE_CAP_POSIX_LOCKS, FUSE_CAP_FLOCK_LOCKS, FUSE_CAP_DONT_MASK, FUSE_CAP_SPLICE_READ,
        FUSE_CAP_IOCTL_DIR, FUSE_CAP_AUTO_INVAL_DATA, FUSE_CAP_WRITEBACK_CACHE, FUSE_CAP_POSIX_ACL,
    ]

    private static func negotiate(
        _ information: inout fuse_conn_info, _ options: FuseOptions, _ agreement: FuseAgreement
    ) {
        let on = wanted.reduce(UInt32(0)) { $0 | UInt32($1) }
        let off = unwanted.reduce(UInt32(0)) { $0 | UInt32($1) }
        information.want = (information.want | (on & information.capable)) & ~off
        // The second version of this capability, accepted by the agreement if offered, says when to clear the bits; the
        // first means always.
        if agreement.clearsSetID { information.want &= ~UInt32(FUSE_CAP_HANDLE_KILLPRIV) }
        information.max_write = UInt32(options.maximumWrite)
        information.max_background = UInt32(options.maximumBackground)
        information.congestion_threshold = UInt32(options.maximumBackground * 3 / 4)
    }
}
