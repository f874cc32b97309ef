import Basics
package import Fuse
import Glibc
import LocalMetadata
import Synchronization
import VirtualFileSystem

extension MountedFileSystem {
    package func open(node: FuseNode, flags: FuseOpenFlags, request: consuming FuseRequest<Reply.Opened>) {
        whenPermitted(NodeID(node), flags, request) { [self] request in openNow(node, flags, nil, request) }
    }

    /// - Parameter permit: The program's download permit; nil: looked up if bytes are missing.
    private func openNow(
        _ node: FuseNode, _ flags: FuseOpenFlags, _ permit: DownloadPermit?,
        _ request: consuming FuseRequest<Reply.Opened>
    ) {
        let thread = request.context.process
        do {
            let handle = try files.makingRoom {
                if flags.clearsSetID { try dropSetID(NodeID(node)) }
                return try open(NodeID(node), flags, downloads == nil ? .full : permit)
            }
            // Writes through a mapping change size and times without the kernel noticing, so from now on the kernel
            // requests them.
            if handle.canWrite { invalidator.invalidateAttributes(of: handle.file.node) }
            let opened = opened(handle)
            // An interrupted program never gets its handle, and the kernel sends no release for it.
            if !request.reply(opened) { giveBack(opened.handle) }
        } catch is AllowanceNeeded {
            if let known = downloads?.known(thread) { return openNow(node, flags, known, request) }
            whenLookedUp(thread, request) { [self] in openNow(node, flags, $0, $1) }
        } catch { request.fail(code(error)) }
    }

    private func open(_ node: NodeID, _ flags: FuseOpenFlags, _ permit: DownloadPermit?) throws -> OpenHandle {
        // O_TRUNC also empties a file opened for reading only.
        try files.open(
            node, canRead: flags.isReading, canWrite: flags.isWriting || flags.truncates, truncate: flags.truncates,
            permit: permit,
            keepsAccessTime: flags.keepsAccessTime)
    }

    package func create(
        parent: FuseNode, name: borrowing FuseName, mode: UInt32, flags: FuseOpenFlags,
        request: consuming FuseRequest<Reply.Created>
    ) {
        let bytes = name.copy
        do {
            let context = request.context
            let (attributes, handle) = try files.makingRoom {
                try created(bytes, in: NodeID(parent), mode, flags, context)
            }
            let opened = opened(handle)
            if !request.reply(entry(attributes), opened) { giveBack(opened.handle) }
        } catch { request.fail(code(error)) }
    }

    /// Creates a file, or opens the existing one. A concurrent program may create it between the kernel's lookup and
    /// now, and remove it again.
    private func created(
        _ name: [UInt8], in parent: NodeID, _ mode: UInt32, _ flags: FuseOpenFlags, _ context: FuseContext
    ) throws -> (NodeAttributes, OpenHandle) {
        for _ in 0..<Self.tries {
            do {
                return try files.create(
                    name, in: parent, permissions: UInt16(mode & 0o7777), caller: caller(context))
            } catch let error as Errno where error.code == EEXIST && flags.rawValue & O_EXCL == 0 {
                do {
                    let attributes = try files.lookup(name, in: parent)
                    // The kernel holds a lock of the folder, so this open does not wait for a lookup.
                    return (attributes, try open(attributes.node, flags, downloads?.known(context.process) ?? .full))
                } catch let error as Errno where [ENOENT, ESTALE].contains(error.code) {
                    continue
                }
            }
        }
        // A name differing only in case exists, not this name.
        throw Errno(EEXIST)
    }

    /// How often concurrent programs may remove a name before its creation fails.
    private static let tries = 8

    /// Drops the set-user-ID and set-group-ID bits, if the kernel requests this for the caller of a write.
    func dropSetID(_ node: NodeID) throws {
        let attributes = try files.attributes(of: node)
        guard attributes.permissions & 0o6000 != 0 else { return }
        var changes = AttributeRequest()
        changes.clearsSetID = true
        _ = try files.setAttributes(of: node, changes)
        // The kernel updates sizes and times itself, but continues to show the old mode.
        invalidator.invalidateAttributes(of: node)
    }

    private func opened(_ handle: OpenHandle) -> FuseOpened {
        let backing = backings.enter(handle)
        // With direct kernel writes to blobs, pages of an earlier cached open may be stale.
        var options: FuseOpenOptions = backings.isOffered ? [.noFlush] : [.noFlush, .keepCache]
        if handle.hasShortReads { options = [.noFlush, .directIO] }
        return FuseOpened(handle: retain(handle), options: options, backing: backing)
    }

    private func giveBack(_ handle: FuseHandle) {
        guard let handle = takeBack(handle) else { return }
        let node = handle.file.node
        if let reading = handle.reading, let program = handle.permit.program { downloads?.closed(reading, by: program) }
        backings.leave(handle)
        if files.release(handle) { invalidator.invalidateAttributes(of: node) }
    }

    package func release(
        node: FuseNode, handle: FuseHandle, flags: FuseOpenFlags, request: consuming FuseRequest<Reply.Done>
    ) {
        giveBack(handle)
        request.succeed()
    }

    /// Does nothing: a close cannot lose data, because the bytes are in the blob and the row says that it is being
    /// written. The kernel therefore does not send this request, except before Linux 5.16.
    package func flush(
        node: FuseNode, handle: FuseHandle, lockOwner: UInt64, request: consuming FuseRequest<Reply.Done>
    ) {
        request.succeed()
    }

    package func fsync(
        node: FuseNode, handle: FuseHandle, dataOnly: Bool, request: consuming FuseRequest<Reply.Done>
    ) {
        guard let handle = self.handle(handle) else {
            request.fail(EBADF)
            return
        }
        do {
            try files.sync(handle)
            request.succeed()
        } catch { request.fail(code(error)) }
    }
}
