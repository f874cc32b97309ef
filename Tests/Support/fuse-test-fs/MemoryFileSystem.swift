import Basics
import Fuse
import Glibc
import Synchronization

/// A file system in memory with kernel caches that last an hour, so that a missing invalidation shows. Some names in
/// its root behave oddly: see ``SpecialFiles``.
final class MemoryFileSystem: FuseFileSystem {
    let tree = Mutex(MemoryTree())
    let special = SpecialFiles()
    let timeout = Duration.seconds(3600)
    let openOptions: FuseOpenOptions
    /// Set once after the mount, because registering a backing file needs the session.
    let session = Mutex<FuseSession?>(nil)
    let backings = Mutex<[FuseNode: FuseBacking]>([:])

    /// Whether a lookup of the name "trap" ends the process.
    private let traps: Bool

    init(openOptions: FuseOpenOptions, traps: Bool) {
        self.openOptions = openOptions
        self.traps = traps
    }

    /// Runs `body` on the tree and replies with its result, or with its error.
    func answer<Kind, Value: Sendable>(
        _ request: consuming FuseRequest<Kind>, _ body: (inout MemoryTree) throws(Errno) -> Value,
        _ reply: (consuming FuseRequest<Kind>, Value) -> Void
    ) {
        let result = tree.withLock { tree in
            Result { () throws(Errno) in try body(&tree) }
        }
        switch result {
        case .success(let value): reply(request, value)
        case .failure(let error): request.fail(error)
        }
    }

    func answerEntry(
        _ request: consuming FuseRequest<Reply.Entry>, _ body: (inout MemoryTree) throws(Errno) -> FuseNode
    ) {
        let timeout = timeout
        answer(request) { tree throws(Errno) in
            let node = try body(&tree)
            tree.nodes[node]?.references += 1
            return try tree.entry(node, timeout: timeout)
        } _: { request, entry in
            request.reply(entry)
        }
    }

    func answerDone(
        _ request: consuming FuseRequest<Reply.Done>, _ body: (inout MemoryTree) throws(Errno) -> Void
    ) {
        answer(request, body) { request, _ in request.succeed() }
    }

    func lookup(parent: FuseNode, name: borrowing FuseName, request: consuming FuseRequest<Reply.Entry>) {
        let name = name.copy
        if traps, name == Array("trap".utf8) { fatalError("a test wants this") }
        if tree.withLock({ $0.nodes[parent]?.children[name] }) == nil {
            request.reply(.absent(timeout: timeout))
            return
        }
        answerEntry(request) { tree throws(Errno) in try tree.child(name, of: parent) }
    }

    func forget(_ nodes: [FuseForget]) {
        tree.withLock { tree in
            for item in nodes { tree.forget(item.node, item.count) }
        }
    }

    func getattr(node: FuseNode, handle: FuseHandle?, request: consuming FuseRequest<Reply.Attributes>) {
        let timeout = timeout
        answer(request) { tree throws(Errno) in
            try tree.node(node).attributes(node)
        } _: { request, attributes in
            request.reply(attributes, timeout: timeout)
        }
    }

    func setattr(
        node: FuseNode, handle: FuseHandle?, changes: FuseSetAttributes,
        request: consuming FuseRequest<Reply.Attributes>
    ) {
        let timeout = timeout
        answer(request) { tree throws(Errno) in
            var item = try tree.node(node)
            if let mode = changes.mode { item.mode = item.mode & S_IFMT | mode & 0o7777 }
            if let user = changes.user { item.user = user }
            if let group = changes.group { item.group = group }
            if let time = changes.modificationTime { item.modificationTime = time.resolved(now: SystemTime().now()) }
            if let size = changes.size { item.resize(Int(size)) }
            if changes.clearsSetID { item.clearSetID() }
            tree.nodes[node] = item
            return item.attributes(node)
        } _: { request, attributes in
            request.reply(attributes, timeout: timeout)
        }
    }

    func statfs(node: FuseNode, request: consuming FuseRequest<Reply.Statistics>) {
        request.reply(
            FuseStatistics(
                blockSize: 4096, blocks: 1000, freeBlocks: 600, availableBlocks: 500, nodes: 100, freeNodes: 50))
    }
}

extension MemoryNode {
    mutating func resize(_ size: Int) {
        switch content {
        case .file(var bytes):
            content = .folder([:])
            if size < bytes.count { bytes.removeLast(bytes.count - size) }
            bytes.append(contentsOf: repeatElement(0, count: size - bytes.count))
            content = .file(bytes)
        case .native(let file): ftruncate(file, size)
        case .folder, .link: break
        }
    }

    mutating func clearSetID() { mode &= ~UInt32(S_ISUID | S_ISGID) }
}
