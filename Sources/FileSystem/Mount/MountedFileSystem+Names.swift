import Basics
package import Fuse
import Glibc
import LocalMetadata
import Synchronization
import VirtualFileSystem

extension MountedFileSystem {
    package func lookup(parent: FuseNode, name: borrowing FuseName, request: consuming FuseRequest<Reply.Entry>) {
        let bytes = name.copy
        if case .announcer(let announcement) = announcements.requester(request.context.process) {
            return lookup(
                Announcement.Place(parent: NodeID(parent), name: bytes), for: announcement, request: request)
        }
        do {
            request.reply(currentEntry(try attributes(named: bytes, in: NodeID(parent))))
        } catch {
            let code = code(error)
            // Cached until invalidated, like an existing name.
            if code == ENOENT { request.reply(.absent(timeout: timeout)) } else { request.fail(code) }
        }
    }

    /// Looks up a name. Only `open_by_handle_at(2)` sends "." and "..": the kernel has forgotten a node and requests it by its number
    /// (fuse_get_dentry and fuse_get_parent in fs/fuse/inode.c).
    private func attributes(named name: [UInt8], in node: NodeID) throws -> NodeAttributes {
        switch name {
        case Array(".".utf8): try files.attributes(of: node)
        case Array("..".utf8): try files.attributes(of: files.parent(of: node))
        default: try lookup(name, in: node)
        }
    }

    /// Looks up a name and so informs the kernel of its meaning or absence.
    private func lookup(_ name: [UInt8], in parent: NodeID) throws -> NodeAttributes {
        let changes = files.nameChanges
        let attributes: NodeAttributes
        do { attributes = try files.lookup(name, in: parent) } catch let error as Errno where error.code == ENOENT {
            files.notified(name, in: parent, asOf: changes)
            throw error
        }
        files.notified(name, in: parent, asOf: changes)
        return attributes
    }

    package func forget(_ nodes: [FuseForget]) { for forget in nodes { files.forget(NodeID(forget.node)) } }

    package func readlink(node: FuseNode, request: consuming FuseRequest<Reply.Link>) {
        do { request.reply(try files.linkTarget(of: NodeID(node))) } catch { request.fail(code(error)) }
    }

    package func mknod(
        parent: FuseNode, name: borrowing FuseName, mode: UInt32, device: UInt64,
        request: consuming FuseRequest<Reply.Entry>
    ) {
        let bytes = name.copy
        if case .announcer(let announcement) = announcements.requester(request.context.process) {
            return announceCreation(
                at: Announcement.Place(parent: NodeID(parent), name: bytes), announcement, request: request)
        }
        let kinds: [UInt32: LocalKind] = [S_IFREG: .file, 0: .file, S_IFIFO: .pipe, S_IFSOCK: .socket]
        guard let kind = kinds[mode & S_IFMT] else {
            request.fail(EPERM)
            return
        }
        do {
            let caller = caller(request.context)
            let attributes = try files.makingRoom {
                try files.makeNode(
                    bytes, in: NodeID(parent), kind: kind, permissions: UInt16(mode & 0o7777), caller: caller)
            }
            request.reply(entry(attributes))
        } catch { request.fail(code(error)) }
    }

    package func mkdir(
        parent: FuseNode, name: borrowing FuseName, mode: UInt32, request: consuming FuseRequest<Reply.Entry>
    ) {
        let bytes = name.copy
        if case .announcer(let announcement) = announcements.requester(request.context.process) {
            return announceCreation(
                at: Announcement.Place(parent: NodeID(parent), name: bytes), announcement, request: request)
        }
        do {
            let caller = caller(request.context)
            let attributes = try files.makingRoom {
                try files.makeFolder(
                    bytes, in: NodeID(parent), permissions: UInt16(mode & 0o7777), caller: caller)
            }
            request.reply(entry(attributes))
        } catch { request.fail(code(error)) }
    }

    package func symlink(
        parent: FuseNode, name: borrowing FuseName, target: borrowing FuseName,
        request: consuming FuseRequest<Reply.Entry>
    ) {
        let bytes = name.copy
        let path = target.copy
        if case .announcer(let announcement) = announcements.requester(request.context.process) {
            return announceCreation(
                at: Announcement.Place(parent: NodeID(parent), name: bytes), announcement, request: request)
        }
        do {
            let caller = caller(request.context)
            let attributes = try files.makingRoom {
                try files.makeSymlink(bytes, in: NodeID(parent), target: path, caller: caller)
            }
            request.reply(entry(attributes))
        } catch { request.fail(code(error)) }
    }

    /// Refuses hard links: they would give a document two places, and the log cannot represent that. Programs get
    /// `EPERM`; a kernel able to remember the refusal does not repeat the request.
    package func link(
        node: FuseNode, newParent: FuseNode, newName: borrowing FuseName, request: consuming FuseRequest<Reply.Entry>
    ) {
        request.fail(needsNoLink.load(ordering: .relaxed) ? ENOSYS : EPERM)
    }

    package func unlink(parent: FuseNode, name: borrowing FuseName, request: consuming FuseRequest<Reply.Done>) {
        let bytes = name.copy
        if case .announcer(let announcement) = announcements.requester(request.context.process) {
            return announceRemoval(
                at: Announcement.Place(parent: NodeID(parent), name: bytes), isFolder: false, announcement,
                request: request)
        }
        do {
            try files.removeFile(bytes, in: NodeID(parent))
            request.succeed()
        } catch { request.fail(code(error)) }
    }

    package func rmdir(parent: FuseNode, name: borrowing FuseName, request: consuming FuseRequest<Reply.Done>) {
        let bytes = name.copy
        if case .announcer(let announcement) = announcements.requester(request.context.process) {
            return announceRemoval(
                at: Announcement.Place(parent: NodeID(parent), name: bytes), isFolder: true, announcement,
                request: request)
        }
        do {
            try files.removeFolder(bytes, in: NodeID(parent))
            request.succeed()
        } catch { request.fail(code(error)) }
    }

    package func rename(
        parent: FuseNode, name: borrowing FuseName, newParent: FuseNode, newName: borrowing FuseName,
        flags: FuseRenameFlags, request: consuming FuseRequest<Reply.Done>
    ) {
        let old = name.copy
        let new = newName.copy
        if case .announcer(let announcement) = announcements.requester(request.context.process) {
            return announceMove(
                from: Announcement.Place(parent: NodeID(parent), name: old),
                to: Announcement.Place(parent: NodeID(newParent), name: new), announcement, request: request)
        }
        let modes: [UInt32: RenameMode] = [
            0: .replace, FuseRenameFlags.noReplace.rawValue: .noReplace, FuseRenameFlags.exchange.rawValue: .exchange,
        ]
        guard let mode = modes[flags.rawValue] else {
            request.fail(EINVAL)
            return
        }
        do {
            try files.makingRoom {
                try files.rename(old, in: NodeID(parent), to: new, in: NodeID(newParent), mode: mode)
            }
            request.succeed()
        } catch { request.fail(code(error)) }
    }
}
