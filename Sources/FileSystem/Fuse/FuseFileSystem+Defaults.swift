import Glibc

// Default implementations: they reply ENOSYS; after that the kernel does not send the operation again.
extension FuseFileSystem {
    package func start(_ agreement: FuseAgreement) {}

    package func forget(_ nodes: [FuseForget]) {}

    package func lookup(
        parent: FuseNode, name: borrowing FuseName, request: consuming FuseRequest<Reply.Entry>
    ) { request.fail(ENOSYS) }

    package func getattr(
        node: FuseNode, handle: FuseHandle?, request: consuming FuseRequest<Reply.Attributes>
    ) { request.fail(ENOSYS) }

    package func setattr(
        node: FuseNode, handle: FuseHandle?, changes: FuseSetAttributes,
        request: consuming FuseRequest<Reply.Attributes>
    ) { request.fail(ENOSYS) }

    package func statfs(node: FuseNode, request: consuming FuseRequest<Reply.Statistics>) { request.fail(ENOSYS) }

    package func readlink(node: FuseNode, request: consuming FuseRequest<Reply.Link>) { request.fail(ENOSYS) }

    package func mknod(
        parent: FuseNode, name: borrowing FuseName, mode: UInt32, device: UInt64,
        request: consuming FuseRequest<Reply.Entry>
    ) { request.fail(ENOSYS) }

    package func mkdir(
        parent: FuseNode, name: borrowing FuseName, mode: UInt32, request: consuming FuseRequest<Reply.Entry>
    ) { request.fail(ENOSYS) }

    package func unlink(
        parent: FuseNode, name: borrowing FuseName, request: consuming FuseRequest<Reply.Done>
    ) { request.fail(ENOSYS) }

    package func rmdir(
        parent: FuseNode, name: borrowing FuseName, request: consuming FuseRequest<Reply.Done>
    ) { request.fail(ENOSYS) }

    package func symlink(
        parent: FuseNode, name: borrowing FuseName, target: borrowing FuseName,
        request: consuming FuseRequest<Reply.Entry>
    ) { request.fail(ENOSYS) }

    package func rename(
        parent: FuseNode, name: borrowing FuseName, newParent: FuseNode, newName: borrowing FuseName,
        flags: FuseRenameFlags, request: consuming FuseRequest<Reply.Done>
    ) { request.fail(ENOSYS) }

    package func link(
        node: FuseNode, newParent: FuseNode, newName: borrowing FuseName, request: consuming FuseRequest<Reply.Entry>
    ) { request.fail(ENOSYS) }

    package func open(
        node: FuseNode, flags: FuseOpenFlags, request: consuming FuseRequest<Reply.Opened>
    ) { request.fail(ENOSYS) }

    package func create(
        parent: FuseNode, name: borrowing FuseName, mode: UInt32, flags: FuseOpenFlags,
        request: consuming FuseRequest<Reply.Created>
    ) { request.fail(ENOSYS) }

    package func read(
        node: FuseNode, handle: FuseHandle, offset: Int64, size: Int, flags: FuseOpenFlags,
        request: consuming FuseRequest<Reply.Data>
    ) { request.fail(ENOSYS) }

    package func write(
        node: FuseNode, handle: FuseHandle, offset: Int64, payload: borrowing FusePayload, clearsSetID: Bool,
        request: consuming FuseRequest<Reply.Count>
    ) { request.fail(ENOSYS) }

    package func flush(
        node: FuseNode, handle: FuseHandle, lockOwner: UInt64, request: consuming FuseRequest<Reply.Done>
    ) { request.fail(ENOSYS) }

    package func release(
        node: FuseNode, handle: FuseHandle, flags: FuseOpenFlags, request: consuming FuseRequest<Reply.Done>
    ) { request.fail(ENOSYS) }

    package func fsync(
        node: FuseNode, handle: FuseHandle, dataOnly: Bool, request: consuming FuseRequest<Reply.Done>
    ) { request.fail(ENOSYS) }

    package func fallocate(
        node: FuseNode, handle: FuseHandle, mode: Int32, offset: Int64, length: Int64,
        request: consuming FuseRequest<Reply.Done>
    ) { request.fail(ENOSYS) }

    package func lseek(
        node: FuseNode, handle: FuseHandle, offset: Int64, whence: Int32, request: consuming FuseRequest<Reply.Offset>
    ) { request.fail(ENOSYS) }

    package func copyFileRange(
        from source: FuseRange, to destination: FuseRange, length: Int, request: consuming FuseRequest<Reply.Count>
    ) { request.fail(ENOSYS) }

    package func opendir(
        node: FuseNode, flags: FuseOpenFlags, request: consuming FuseRequest<Reply.Opened>
    ) { request.fail(ENOSYS) }

    package func readdir(
        node: FuseNode, handle: FuseHandle, offset: Int64, size: Int, request: consuming FuseRequest<Reply.Directory>
    ) { request.fail(ENOSYS) }

    package func readdirplus(
        node: FuseNode, handle: FuseHandle, offset: Int64, size: Int,
        request: consuming FuseRequest<Reply.DirectoryPlus>
    ) { request.fail(ENOSYS) }

    package func releasedir(
        node: FuseNode, handle: FuseHandle, request: consuming FuseRequest<Reply.Done>
    ) { request.fail(ENOSYS) }

    package func fsyncdir(
        node: FuseNode, handle: FuseHandle, dataOnly: Bool, request: consuming FuseRequest<Reply.Done>
    ) { request.fail(ENOSYS) }

    package func setxattr(
        node: FuseNode, name: borrowing FuseName, value: UnsafeRawBufferPointer, flags: Int32,
        request: consuming FuseRequest<Reply.Done>
    ) { request.fail(ENOSYS) }

    package func getxattr(
        node: FuseNode, name: borrowing FuseName, capacity: Int,
        request: consuming FuseRequest<Reply.ExtendedAttribute>
    ) { request.fail(ENOSYS) }

    package func listxattr(
        node: FuseNode, capacity: Int, request: consuming FuseRequest<Reply.ExtendedAttribute>
    ) { request.fail(ENOSYS) }

    package func removexattr(
        node: FuseNode, name: borrowing FuseName, request: consuming FuseRequest<Reply.Done>
    ) { request.fail(ENOSYS) }
}
