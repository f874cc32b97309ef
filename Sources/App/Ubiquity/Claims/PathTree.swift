import CloudModel
import Coordination
import Glibc
import Synchronization

/// The claimed or presented part of this machine's file tree in this process, by path. A path is an item, whether or
/// not a file exists there: the tree knows only this process's own accesses and announced moves.
final class PathTree: ItemTree, Sendable {
    fileprivate struct Node {
        var folder: ItemNumber?
        var name: String
        var kind: TreeKind
        var holds = 0
        var children: [String: ItemNumber] = [:]
    }

    fileprivate struct State {
        var nodes: [ItemNumber: Node] = [ItemNumber(1): Node(folder: nil, name: "", kind: .folder, holds: 1)]
        var lastNumber: Int64 = 1
        /// Maps each item replaced by a move to the item now in its place.
        var successors: [ItemNumber: ItemNumber] = [:]
    }

    static let root = ItemNumber(1)
    private let state = Mutex(State())

    // MARK: ItemTree

    func entry(of item: ItemNumber) -> TreeEntry? {
        state.withLock { $0.nodes[item].map { TreeEntry(parent: $0.folder, kind: $0.kind) } }
    }

    func item(at place: ItemPlace) -> ItemNumber? {
        state.withLock { $0.nodes[place.folder]?.children[String(decoding: place.name.bytes, as: UTF8.self)] }
    }

    // MARK: Paths

    /// Returns the item at an absolute path and retains it. Each call must be balanced by a release.
    func hold(_ path: String) -> ItemNumber {
        let isFolder = Self.isFolder(path)
        return state.withLock { state in
            let item = state.find(path)
            state.nodes[item]?.holds += 1
            if let node = state.nodes[item], node.children.isEmpty, item != Self.root {
                state.nodes[item]?.kind = isFolder ? Self.folderKind(node.name) : .file
            }
            return item
        }
    }

    func release(_ item: ItemNumber) {
        state.withLock { state in
            let item = state.successors[item] ?? item
            state.nodes[item]?.holds -= 1
            state.prune(item)
        }
    }

    func path(of item: ItemNumber) -> String {
        state.withLock { state in
            var names: [String] = []
            var current = state.nodes[item]
            while let node = current, let folder = node.folder {
                names.append(node.name)
                current = state.nodes[folder]
            }
            return "/" + names.reversed().joined(separator: "/")
        }
    }

    func place(of item: ItemNumber) -> ItemPlace? {
        state.withLock { state in
            guard let node = state.nodes[item], let folder = node.folder, let name = try? ItemName(node.name) else {
                return nil
            }
            return ItemPlace(folder: folder, name: name)
        }
    }

    /// Returns the item held at the path, if any.
    func known(_ path: String) -> ItemNumber? {
        state.withLock { state in
            path.split(separator: "/").reduce(Self.root as ItemNumber?) { item, name in
                item.flatMap { state.nodes[$0]?.children[String(name)] }
            }
        }
    }

    /// Moves an item to its new path.
    ///
    /// - Returns: The item previously at that path; its claims become claims of the moved item.
    func move(_ item: ItemNumber, to path: String) -> ItemNumber? {
        state.withLock { state in
            let target = state.find(path)
            guard target != item, let node = state.nodes[item], let place = state.nodes[target] else { return nil }
            if let folder = node.folder { state.nodes[folder]?.children[node.name] = nil }
            state.nodes[item]?.folder = place.folder
            state.nodes[item]?.name = place.name
            if let folder = place.folder { state.nodes[folder]?.children[place.name] = item }
            if let old = node.folder { state.prune(old) }
            guard place.holds > 0 else {
                state.nodes[target] = nil
                return nil
            }
            state.successors[target] = item
            state.nodes[item]?.holds += place.holds
            return target
        }
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    fileprivate static func folderKind(_ name: String) -> TreeKind {
        guard let name = try? ItemName(name) else { return .folder }
        return PackageTypes.isPackage(name) ? .package : .folder
    }
}

extension PathTree.State {
    /// Returns the item at the path, and creates the missing nodes.
    fileprivate mutating func find(_ path: String) -> ItemNumber {
        var item = PathTree.root
        for name in path.split(separator: "/").map(String.init) {
            if let next = nodes[item]?.children[name] {
                item = next
                continue
            }
            lastNumber += 1
            let next = ItemNumber(lastNumber)
            // An item with contents is a folder, whatever its kind was before.
            if nodes[item]?.kind == .file { nodes[item]?.kind = .folder }
            nodes[next] = .init(folder: item, name: name, kind: PathTree.folderKind(name))
            nodes[item]?.children[name] = next
            item = next
        }
        return item
    }

    /// Removes an item and the folders above it, unless a claim or presenter holds them.
    fileprivate mutating func prune(_ item: ItemNumber) {
        var current: ItemNumber? = item
        while let item = current, let node = nodes[item], node.holds <= 0, node.children.isEmpty, item != PathTree.root
        {
            nodes[item] = nil
            for (old, new) in successors where new == item {
                successors[old] = nil
                nodes[old] = nil
            }
            if let folder = node.folder, nodes[folder]?.children[node.name] == item {
                nodes[folder]?.children[node.name] = nil
            }
            current = node.folder
        }
    }
}
