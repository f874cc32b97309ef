/// A file system as the kernel sees it: one method per request, replying through its request value.
///
/// Methods run on the session's reader threads, concurrently, and must not block: an operation slower than memory or a
/// local disk replies later, through ``FuseRequest/deferred()``. Names, payloads and values handed in are valid until
/// the method returns. An unimplemented operation replies ENOSYS; if the protocol allows it, the kernel remembers this
/// and does not send the operation again.
///
/// There are no lock operations on purpose: the kernel then keeps POSIX and `flock(2)` locks itself, local to this
/// machine. There is no `access` either: the mount has `default_permissions`, so the kernel decides from the
/// attributes.
package protocol FuseFileSystem: AnyObject, Sendable {
    typealias Reply = FuseReply

    /// Called when the kernel has connected and agreed to `agreement`; no request arrives before this method returns.
    func start(_ agreement: FuseAgreement)

    /// Looks up a name, `path_resolution(7)`. Each reply with a node counts one reference, returned by ``forget(_:)``.
    /// The names "." and ".." mean the node itself, of any kind and possibly forgotten, and its folder:
    /// `open_by_handle_at(2)` looks nodes up that way.
    func lookup(parent: FuseNode, name: borrowing FuseName, request: consuming FuseRequest<Reply.Entry>)

    /// Drops references of the kernel to nodes. The kernel does not name a node with a count of zero again without a
    /// lookup.
    func forget(_ nodes: [FuseForget])

    // MARK: Attributes

    /// `stat(2)`, `fstat(2)`: through `handle` if the kernel has one open.
    func getattr(node: FuseNode, handle: FuseHandle?, request: consuming FuseRequest<Reply.Attributes>)

    /// `chmod(2)`, `chown(2)`, `truncate(2)`, `utimensat(2)`: applies the attributes set in `changes`, all or nothing.
    func setattr(
        node: FuseNode, handle: FuseHandle?, changes: FuseSetAttributes,
        request: consuming FuseRequest<Reply.Attributes>)

    /// `statvfs(3)`.
    func statfs(node: FuseNode, request: consuming FuseRequest<Reply.Statistics>)

    // MARK: Names

    /// `readlink(2)`.
    func readlink(node: FuseNode, request: consuming FuseRequest<Reply.Link>)

    /// `mknod(2)`; `mode` has the umask applied already.
    func mknod(
        parent: FuseNode, name: borrowing FuseName, mode: UInt32, device: UInt64,
        request: consuming FuseRequest<Reply.Entry>)

    /// `mkdir(2)`; `mode` has the umask applied already.
    func mkdir(
        parent: FuseNode, name: borrowing FuseName, mode: UInt32, request: consuming FuseRequest<Reply.Entry>)

    /// `unlink(2)`. The node lives on while it is referenced: see ``forget(_:)``.
    func unlink(parent: FuseNode, name: borrowing FuseName, request: consuming FuseRequest<Reply.Done>)

    /// `rmdir(2)`.
    func rmdir(parent: FuseNode, name: borrowing FuseName, request: consuming FuseRequest<Reply.Done>)

    /// `symlink(2)`.
    func symlink(
        parent: FuseNode, name: borrowing FuseName, target: borrowing FuseName,
        request: consuming FuseRequest<Reply.Entry>)

    /// `renameat2(2)` with its flags; EINVAL for an unsupported flag.
    func rename(
        parent: FuseNode, name: borrowing FuseName, newParent: FuseNode, newName: borrowing FuseName,
        flags: FuseRenameFlags, request: consuming FuseRequest<Reply.Done>)

    /// `link(2)`.
    func link(
        node: FuseNode, newParent: FuseNode, newName: borrowing FuseName,
        request: consuming FuseRequest<Reply.Entry>)

    // MARK: Files

    /// `open(2)` of an existing file; with O_TRUNC in `flags` it also empties the file in the same step.
    func open(node: FuseNode, flags: FuseOpenFlags, request: consuming FuseRequest<Reply.Opened>)

    /// `open(2)` with O_CREAT of a name unknown to the kernel; `mode` has the umask applied already.
    func create(
        parent: FuseNode, name: borrowing FuseName, mode: UInt32, flags: FuseOpenFlags,
        request: consuming FuseRequest<Reply.Created>)

    /// `pread(2)`: replies with exactly `size` bytes except at the end of the file; the kernel fills the rest of a shorter reply with
    /// zeros.
    func read(
        node: FuseNode, handle: FuseHandle, offset: Int64, size: Int, flags: FuseOpenFlags,
        request: consuming FuseRequest<Reply.Data>)

    /// `pwrite(2)`. `clearsSetID` requests dropping the set-user-ID and set-group-ID bits and capabilities, as a write
    /// must; if there were any, invalidate the node after the reply, because the kernel continues to show the mode it
    /// knows.
    func write(
        node: FuseNode, handle: FuseHandle, offset: Int64, payload: borrowing FusePayload, clearsSetID: Bool,
        request: consuming FuseRequest<Reply.Count>)

    /// Handles a `close(2)` of a descriptor; the program sees an error of this method. May be called several times for
    /// the same handle.
    func flush(node: FuseNode, handle: FuseHandle, lockOwner: UInt64, request: consuming FuseRequest<Reply.Done>)

    /// Releases a handle after its last reference is gone: called exactly once for each successful open or create. No
    /// program sees the error.
    func release(node: FuseNode, handle: FuseHandle, flags: FuseOpenFlags, request: consuming FuseRequest<Reply.Done>)

    /// `fsync(2)`, `fdatasync(2)` if `dataOnly`.
    func fsync(node: FuseNode, handle: FuseHandle, dataOnly: Bool, request: consuming FuseRequest<Reply.Done>)

    /// `fallocate(2)` with its mode flags.
    func fallocate(
        node: FuseNode, handle: FuseHandle, mode: Int32, offset: Int64, length: Int64,
        request: consuming FuseRequest<Reply.Done>)

    /// `lseek(2)` with SEEK_DATA or SEEK_HOLE; the kernel handles the rest itself.
    func lseek(
        node: FuseNode, handle: FuseHandle, offset: Int64, whence: Int32,
        request: consuming FuseRequest<Reply.Offset>)

    /// `copy_file_range(2)`.
    func copyFileRange(
        from source: FuseRange, to destination: FuseRange, length: Int, request: consuming FuseRequest<Reply.Count>)

    // MARK: Folders

    /// `opendir(3)`.
    func opendir(node: FuseNode, flags: FuseOpenFlags, request: consuming FuseRequest<Reply.Opened>)

    /// `readdir(3)`: the entries after `offset`: 0 or the next offset of an entry returned earlier.
    func readdir(
        node: FuseNode, handle: FuseHandle, offset: Int64, size: Int,
        request: consuming FuseRequest<Reply.Directory>)

    /// `readdir(3)` with the attributes of the entries; each entry added counts as a lookup, except `.` and `..`.
    func readdirplus(
        node: FuseNode, handle: FuseHandle, offset: Int64, size: Int,
        request: consuming FuseRequest<Reply.DirectoryPlus>)

    /// Releases a folder's handle after its last reference is gone.
    func releasedir(node: FuseNode, handle: FuseHandle, request: consuming FuseRequest<Reply.Done>)

    /// `fsync(2)` of a folder.
    func fsyncdir(node: FuseNode, handle: FuseHandle, dataOnly: Bool, request: consuming FuseRequest<Reply.Done>)

    // MARK: Extended attributes

    /// `setxattr(2)` with its flags, XATTR_CREATE and XATTR_REPLACE.
    func setxattr(
        node: FuseNode, name: borrowing FuseName, value: UnsafeRawBufferPointer, flags: Int32,
        request: consuming FuseRequest<Reply.Done>)

    /// `getxattr(2)`; ENODATA if there is none. A `capacity` of 0 requests the size.
    func getxattr(
        node: FuseNode, name: borrowing FuseName, capacity: Int,
        request: consuming FuseRequest<Reply.ExtendedAttribute>)

    /// `listxattr(2)`: the names, each followed by a NUL. A `capacity` of 0 requests the size.
    func listxattr(node: FuseNode, capacity: Int, request: consuming FuseRequest<Reply.ExtendedAttribute>)

    /// `removexattr(2)`.
    func removexattr(node: FuseNode, name: borrowing FuseName, request: consuming FuseRequest<Reply.Done>)
}
