import Basics
import Fuse
import Glibc

/// The items of the file system in memory, and the effects of requests on them. Errors are numbers of `errno(3)`.
struct MemoryTree {
    var nodes: [FuseNode: MemoryNode] = [:]
    private var nextNode: FuseNode = 2

    init() {
        nodes[.root] = MemoryNode(
            content: .folder([:]), mode: S_IFDIR | 0o755, modificationTime: SystemTime().now())
    }

    func node(_ node: FuseNode) throws(Errno) -> MemoryNode {
        guard let found = nodes[node] else { throw Errno(ESTALE) }
        return found
    }

    func child(_ name: [UInt8], of parent: FuseNode) throws(Errno) -> FuseNode {
        guard let child = try node(parent).children[name] else { throw Errno(ENOENT) }
        return child
    }

    func entry(_ number: FuseNode, timeout: Duration) throws(Errno) -> FuseEntry {
        FuseEntry(try node(number).attributes(number), timeout: timeout)
    }

    @discardableResult
    mutating func add(
        _ name: [UInt8], to parent: FuseNode, _ content: MemoryNode.Content, mode: UInt32
    ) throws(Errno) -> FuseNode {
        if try node(parent).children[name] != nil { throw Errno(EEXIST) }
        let number = nextNode
        nextNode += 1
        nodes[number] = MemoryNode(content: content, mode: mode, modificationTime: SystemTime().now())
        nodes[parent]?.children[name] = number
        return number
    }

    mutating func link(_ node: FuseNode, as name: [UInt8], in parent: FuseNode) throws(Errno) {
        if try self.node(parent).children[name] != nil { throw Errno(EEXIST) }
        nodes[parent]?.children[name] = node
        nodes[node]?.linkCount += 1
    }

    mutating func remove(_ name: [UInt8], from parent: FuseNode, folder: Bool) throws(Errno) {
        let child = try child(name, of: parent)
        let item = try node(child)
        if folder, !item.isFolder { throw Errno(ENOTDIR) }
        if !folder, item.isFolder { throw Errno(EISDIR) }
        if folder, !item.children.isEmpty { throw Errno(ENOTEMPTY) }
        nodes[parent]?.children[name] = nil
        nodes[child]?.linkCount -= 1
        dropIfUnused(child)
    }

    mutating func move(
        _ name: [UInt8], from parent: FuseNode, to newName: [UInt8], in newParent: FuseNode, flags: FuseRenameFlags
    ) throws(Errno) {
        let moved = try child(name, of: parent)
        let existing = try node(newParent).children[newName]
        if flags.contains(.noReplace), existing != nil { throw Errno(EEXIST) }
        if flags.contains(.exchange) {
            guard let existing else { throw Errno(ENOENT) }
            nodes[parent]?.children[name] = existing
        } else {
            if existing != nil { try remove(newName, from: newParent, folder: node(moved).isFolder) }
            nodes[parent]?.children[name] = nil
        }
        nodes[newParent]?.children[newName] = moved
    }

    mutating func forget(_ node: FuseNode, _ count: UInt64) {
        guard let references = nodes[node]?.references else { return }
        nodes[node]?.references = references - min(references, count)
        dropIfUnused(node)
    }

    private mutating func dropIfUnused(_ node: FuseNode) {
        guard let item = nodes[node], item.linkCount == 0, item.references == 0 else { return }
        nodes[node] = nil
    }
}
