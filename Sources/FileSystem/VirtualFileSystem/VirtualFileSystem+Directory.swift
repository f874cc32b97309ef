import Basics
import CloudModel
import Glibc
import LocalContent
package import LocalMetadata
import Logging

/// A folder entry.
package struct FolderEntry: Sendable {
    package let name: [UInt8]
    package let attributes: NodeAttributes
    /// The position for continuing a listing after this entry.
    package let cookie: UInt64
}

extension VirtualFileSystem {
    /// Returns the attributes of the item of that name; `ENOENT` if there is none.
    package func lookup(_ bytes: [UInt8], in parent: NodeID) throws -> NodeAttributes {
        let name = try Self.name(bytes)
        guard let item = try metadata.item(named: name, in: parent) else { throw Errno(ENOENT) }
        return try attributes(of: item)
    }

    /// Returns up to `limit` entries after `cookie` (0 at the start), in a stable order while other entries are added
    /// and removed. The caller adds `.` and `..`.
    package func entries(of folder: NodeID, after cookie: UInt64, limit: Int) throws -> [FolderEntry] {
        let items = try metadata.read { transaction -> [LocalItem]? in
            if cookie == 0, folder != .root, try transaction.local.item(folder) == nil { return nil }
            var last = NodeID(cookie)
            while true {
                let (items, unreadable) = try transaction.local.readableChildren(of: folder, after: last, limit: limit)
                note(unreadable: unreadable, in: folder)
                guard items.isEmpty, let end = unreadable.last else { return items }
                last = end
            }
        }
        guard let items else {
            guard removedItem(folder) != nil else { throw Errno(ENOENT) }
            return []
        }
        return items.map { item in
            FolderEntry(name: item.name.bytes, attributes: shownAttributes(of: item), cookie: item.node.value)
        }
    }

    /// Returns an open file's current attributes or, if unreadable, those in its row: a single file must not hide the
    /// rest of its folder.
    private func shownAttributes(of item: LocalItem) -> NodeAttributes {
        do { return try attributes(of: item) } catch {
            log.warning(
                "could not read the status of an open file", metadata: ["node": "\(item.node)", "error": "\(error)"])
            return attributes(item)
        }
    }

    /// Records unreadable items; their folder is listed without them, and the daemon's log and the status name them.
    private func note(unreadable nodes: [NodeID], in folder: NodeID) {
        for node in nodes where unreadable.insert(node, in: folder) {
            log.error(
                "an item cannot be shown: its row is damaged. Run `ubiquity check`.",
                metadata: ["node": "\(node)", "folder": "\(folder)"])
        }
    }

    /// Returns the folder of `folder`, for `..`.
    package func parent(of folder: NodeID) throws -> NodeID {
        guard folder != .root else { return .root }
        return try metadata.item(folder)?.parent ?? removedItem(folder)?.parent ?? .root
    }

    /// Returns the bytes of a symlink, even if removed since the kernel looked up its name.
    package func linkTarget(of node: NodeID) throws -> [UInt8] {
        let item = try itemOrRemoved(node)
        guard item.kind == .symlink else { throw Errno(EINVAL) }
        return item.target
    }

    /// Drops the kept copy of a removed item, as the kernel has forgotten the node.
    package func forget(_ node: NodeID) { removed.forget(node) }

    /// `statfs(2)`: the space for writing on this device. It is bounded by the content's disk and by the cloud, so the
    /// smaller total and the smaller free space of the two are shown.
    package func space() throws -> FileSystemSpace {
        let disk = try content.space()
        let totals = try metadata.read { try $0.local.totals() }
        let unit = max(1, UInt64(disk.f_frsize))
        let cloud = source.cloudSpace
        return FileSystemSpace(
            blockSize: unit, blocks: cloud.map { min($0.total / unit, UInt64(disk.f_blocks)) } ?? UInt64(disk.f_blocks),
            free: cloud.map { min($0.free / unit, UInt64(disk.f_bfree)) } ?? UInt64(disk.f_bfree),
            available: cloud.map { min($0.free / unit, UInt64(disk.f_bavail)) } ?? UInt64(disk.f_bavail),
            files: UInt64(clamping: totals.items).saturatingSum(1_000_000), freeFiles: 1_000_000)
    }

    /// `fsync(2)` of a folder: every name in it survives the loss of power.
    package func syncFolder() throws { try metadata.makeDurable() }
}
