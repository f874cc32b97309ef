import Basics
import Fuse
import Glibc
import Synchronization

extension MemoryFileSystem {
    func open(node: FuseNode, flags: FuseOpenFlags, request: consuming FuseRequest<Reply.Opened>) {
        answer(request) { tree throws(Errno) in
            if flags.truncates { tree.nodes[node]?.resize(0) }
            return try opened(node, in: tree)
        } _: { request, opened in
            request.reply(opened)
        }
    }

    func create(
        parent: FuseNode, name: borrowing FuseName, mode: UInt32, flags: FuseOpenFlags,
        request: consuming FuseRequest<Reply.Created>
    ) {
        let (name, timeout) = (name.copy, timeout)
        answer(request) { tree throws(Errno) in
            let node = try tree.add(name, to: parent, .file([]), mode: S_IFREG | mode)
            tree.nodes[node]?.references += 1
            return (try tree.entry(node, timeout: timeout), try opened(node, in: tree))
        } _: { request, result in
            request.reply(result.0, result.1)
        }
    }

    private func opened(_ node: FuseNode, in tree: MemoryTree) throws(Errno) -> FuseOpened {
        // Uses direct I/O, because a read through the page cache is not interrupted: its program exits, and the request remains.
        if special.behaviour(of: node) == .stuck { return FuseOpened(handle: node, options: .directIO) }
        guard case .native(let file) = try tree.node(node).content else {
            return FuseOpened(handle: node, options: openOptions)
        }
        return FuseOpened(handle: node, options: [.keepCache, .noFlush], backing: try backing(of: node, file))
    }

    /// Returns a native file's registration, shared by all its opens, or nil without the privilege to register files.
    private func backing(of node: FuseNode, _ file: Int32) throws(Errno) -> FuseBacking? {
        guard let session = session.withLock({ $0 }), session.offersPassthrough else { return nil }
        if let known = backings.withLock({ $0[node] }) { return known }
        do throws(Errno) {
            let backing = try session.register(backing: file)
            backings.withLock { $0[node] = backing }
            return backing
        } catch {
            guard error.code == EPERM else { throw error }
            return nil
        }
    }

    func read(
        node: FuseNode, handle: FuseHandle, offset: Int64, size: Int, flags: FuseOpenFlags,
        request: consuming FuseRequest<Reply.Data>
    ) {
        if let behaviour = special.behaviour(of: node) {
            special.read(behaviour, request)
            return
        }
        answer(request) { tree throws(Errno) in
            try tree.node(node).content
        } _: { request, content in
            switch content {
            case .file(let bytes):
                let start = min(Int(offset), bytes.count)
                let range = bytes.span.bytes.extracting(start..<min(bytes.count, start + size))
                request.reply(range)
            case .native(let file): request.reply(from: file, at: offset, count: size)
            case .folder, .link: request.fail(EISDIR)
            }
        }
    }

    func write(
        node: FuseNode, handle: FuseHandle, offset: Int64, payload: borrowing FusePayload, clearsSetID: Bool,
        request: consuming FuseRequest<Reply.Count>
    ) {
        let result = tree.withLock { tree in
            Result { () throws(Errno) in
                if clearsSetID { tree.nodes[node]?.clearSetID() }
                if case .native(let file) = try tree.node(node).content {
                    return try payload.write(to: file, at: offset)
                }
                return try tree.write(payload.copy(), to: node, at: Int(offset))
            }
        }
        switch result {
        case .success(let count): request.reply(count)
        case .failure(let error): request.fail(error)
        }
    }

    func flush(node: FuseNode, handle: FuseHandle, lockOwner: UInt64, request: consuming FuseRequest<Reply.Done>) {
        request.succeed()
    }

    func release(
        node: FuseNode, handle: FuseHandle, flags: FuseOpenFlags, request: consuming FuseRequest<Reply.Done>
    ) {
        request.succeed()
    }

    func fsync(node: FuseNode, handle: FuseHandle, dataOnly: Bool, request: consuming FuseRequest<Reply.Done>) {
        request.succeed()
    }

    func setxattr(
        node: FuseNode, name: borrowing FuseName, value: UnsafeRawBufferPointer, flags: Int32,
        request: consuming FuseRequest<Reply.Done>
    ) {
        let (name, value) = (name.copy, Array(value))
        answerDone(request) { tree throws(Errno) in tree.nodes[node]?.extendedAttributes[name] = value }
    }

    func getxattr(
        node: FuseNode, name: borrowing FuseName, capacity: Int,
        request: consuming FuseRequest<Reply.ExtendedAttribute>
    ) {
        let name = name.copy
        answer(request) { tree throws(Errno) in
            guard let value = try tree.node(node).extendedAttributes[name] else { throw Errno(ENODATA) }
            return value
        } _: { request, value in
            request.reply(value, capacity: capacity)
        }
    }

    func listxattr(node: FuseNode, capacity: Int, request: consuming FuseRequest<Reply.ExtendedAttribute>) {
        answer(request) { tree throws(Errno) in
            try tree.node(node).extendedAttributes.keys.flatMap { $0 + [0] }
        } _: { request, names in
            request.reply(names, capacity: capacity)
        }
    }
}

extension MemoryTree {
    mutating func write(_ bytes: [UInt8], to node: FuseNode, at offset: Int) throws(Errno) -> Int {
        guard case .file(var content) = try self.node(node).content else { throw Errno(EISDIR) }
        let end = offset + bytes.count
        if content.count < end { content.append(contentsOf: repeatElement(0, count: end - content.count)) }
        content.replaceSubrange(offset..<end, with: bytes)
        nodes[node]?.content = .file(content)
        nodes[node]?.modificationTime = SystemTime().now()
        return bytes.count
    }
}
