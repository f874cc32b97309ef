package import Basics
import CFuse3
import Glibc

/// Invalidates the kernel's caches. May be called from any thread, but never under a lock acquired by a handler, and
/// never from within a handler except for attributes alone: the kernel may hold a lock of the very folder or page of
/// that handler's request.
///
/// The order after a remote change: commit, then the generation, then ``invalidateInode``, then ``invalidateEntry``.
/// Invalidating something not cached by the kernel is no error.
package struct FuseNotifier: Sendable {
    private let connection: FuseConnection

    init(_ connection: FuseConnection) { self.connection = connection }

    /// Invalidates attributes, and cached bytes from `offset` on: `length` of them, all if 0. An `offset` below 0 keeps the bytes.
    package func invalidateInode(_ node: FuseNode, offset: Int64 = 0, length: Int64 = 0) throws(Errno) {
        try check(
            "invalidate an inode",
            fuse_lowlevel_notify_inval_inode(
                connection.session, node, Int(offset), Int(length)))
    }

    /// Invalidates the meaning of `name` in `parent`, including its absence.
    package func invalidateEntry(parent: FuseNode, name: [UInt8]) throws(Errno) {
        let code = name.withUnsafeBytes { bytes in
            fuse_lowlevel_notify_inval_entry(
                connection.session, parent, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
        }
        try check("invalidate an entry", code)
    }

    /// Invalidates `name` and notifies watchers of the folder that `child` is gone. EBUSY, ENOTEMPTY: it is in use, and
    /// the name was only invalidated.
    package func delete(parent: FuseNode, child: FuseNode, name: [UInt8]) throws(Errno) {
        let code = name.withUnsafeBytes { bytes in
            fuse_lowlevel_notify_delete(
                connection.session, parent, child, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
        }
        try check("notify of a deletion", code)
    }

    /// Throws the error of a notification, except ENOENT (not in the kernel's caches) and ENOTCONN or ENODEV (the mount has ended, and its
    /// caches with it).
    private func check(_ what: String, _ result: Int32) throws(Errno) {
        guard result < 0, ![ENOENT, ENOTCONN, ENODEV].contains(-result) else { return }
        throw Errno(-result, what)
    }
}
