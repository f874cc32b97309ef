import Basics
import Fuse
import Glibc
import Synchronization

extension MemoryFileSystem {
    func readlink(node: FuseNode, request: consuming FuseRequest<Reply.Link>) {
        answer(request) { tree throws(Errno) in
            guard case .link(let target) = try tree.node(node).content else { throw Errno(EINVAL) }
            return target
        } _: { request, target in
            request.reply(target)
        }
    }

    func mkdir(
        parent: FuseNode, name: borrowing FuseName, mode: UInt32, request: consuming FuseRequest<Reply.Entry>
    ) {
        let name = name.copy
        if name == Array("unanswered".utf8) { return special.keepUnanswered(request) }
        answerEntry(request) { tree throws(Errno) in
            try tree.add(name, to: parent, .folder([:]), mode: S_IFDIR | mode)
        }
    }

    func unlink(parent: FuseNode, name: borrowing FuseName, request: consuming FuseRequest<Reply.Done>) {
        let name = name.copy
        answerDone(request) { tree throws(Errno) in try tree.remove(name, from: parent, folder: false) }
    }

    func rmdir(parent: FuseNode, name: borrowing FuseName, request: consuming FuseRequest<Reply.Done>) {
        let name = name.copy
        answerDone(request) { tree throws(Errno) in try tree.remove(name, from: parent, folder: true) }
    }

    func symlink(
        parent: FuseNode, name: borrowing FuseName, target: borrowing FuseName,
        request: consuming FuseRequest<Reply.Entry>
    ) {
        let (name, target) = (name.copy, target.copy)
        answerEntry(request) { tree throws(Errno) in
            try tree.add(name, to: parent, .link(target), mode: S_IFLNK | 0o777)
        }
    }

    func link(
        node: FuseNode, newParent: FuseNode, newName: borrowing FuseName,
        request: consuming FuseRequest<Reply.Entry>
    ) {
        let name = newName.copy
        answerEntry(request) { tree throws(Errno) in
            try tree.link(node, as: name, in: newParent)
            return node
        }
    }

    func rename(
        parent: FuseNode, name: borrowing FuseName, newParent: FuseNode, newName: borrowing FuseName,
        flags: FuseRenameFlags, request: consuming FuseRequest<Reply.Done>
    ) {
        let (name, newName) = (name.copy, newName.copy)
        answerDone(request) { tree throws(Errno) in
            try tree.move(name, from: parent, to: newName, in: newParent, flags: flags)
        }
    }

    func opendir(node: FuseNode, flags: FuseOpenFlags, request: consuming FuseRequest<Reply.Opened>) {
        request.reply(FuseOpened(handle: 0))
    }

    func readdir(
        node: FuseNode, handle: FuseHandle, offset: Int64, size: Int,
        request: consuming FuseRequest<Reply.Directory>
    ) {
        answer(request) { tree throws(Errno) in
            try tree.list(node, after: offset)
        } _: { request, entries in
            var buffer = FuseDirectoryBuffer<Reply.Directory>(size: size)
            for (next, name, attributes) in entries {
                guard buffer.add(name, node: attributes.node, mode: attributes.mode, next: next) else { break }
            }
            request.reply(buffer)
        }
    }

    func readdirplus(
        node: FuseNode, handle: FuseHandle, offset: Int64, size: Int,
        request: consuming FuseRequest<Reply.DirectoryPlus>
    ) {
        let timeout = timeout
        answer(request) { tree throws(Errno) in
            try tree.list(node, after: offset)
        } _: { request, entries in
            var buffer = FuseDirectoryBuffer<Reply.DirectoryPlus>(size: size)
            for (next, name, attributes) in entries {
                guard buffer.add(name, FuseEntry(attributes, timeout: timeout), next: next) else { break }
                tree.withLock { $0.nodes[attributes.node]?.references += 1 }
            }
            request.reply(buffer)
        }
    }

    func releasedir(node: FuseNode, handle: FuseHandle, request: consuming FuseRequest<Reply.Done>) {
        request.succeed()
    }
}

extension MemoryTree {
    typealias Listed = (next: Int64, name: [UInt8], attributes: FuseAttributes)

    /// Returns the entries after `offset`, ordered by node. The offset of an entry is its node.
    func list(_ node: FuseNode, after offset: Int64) throws(Errno) -> [Listed] {
        let children = try self.node(node).children.sorted { $0.value < $1.value }
        return children.compactMap { name, child in
            guard Int64(child) > offset, let item = nodes[child] else { return nil }
            return (Int64(child), name, item.attributes(child))
        }
    }
}
