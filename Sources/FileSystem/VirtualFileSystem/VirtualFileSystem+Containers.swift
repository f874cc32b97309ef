import Basics
import CloudModel
import Glibc
import LocalMetadata
import Synchronization

/// The folders in the mount's root: containers, and the trash created by file managers.
///
/// A container cannot be deleted from a log. Removing it therefore sets a mark in its log, and it is not shown anywhere
/// while it is empty (docs/decisions/0031-removed-containers-are-marked.md).
extension VirtualFileSystem {
    /// `mkdir(2)` in the root: creates a container, or the trash.
    func makeTopFolder(_ name: ItemName, permissions: UInt16, caller: Caller) throws -> NodeAttributes {
        if TrashFolder.isName(name) { return try makeTrash(name, permissions: permissions, caller: caller) }
        guard let containerName = ContainerName(folderName: name.description),
            containerName.folderName == name.description
        else {
            throw Errno(EINVAL, "a container's name is made of letters, digits, - _ and ~")
        }
        let item = try naming.shared {
            let item = try metadata.write { transaction in
                guard try transaction.local.item(named: name, in: .root) == nil else { throw Errno(EEXIST) }
                return try shownContainer(containerName, transaction)
            }
            observer?.happened(.created(item))
            return item
        }
        source.localTreeChanged()
        return attributes(item)
    }

    /// Returns a container's folder, creating the container or showing it again after its removal.
    private func shownContainer(_ name: ContainerName, _ transaction: MetadataTransaction) throws -> LocalItem {
        let known = try transaction.container(named: name)?.id
        let container = try known ?? transaction.createContainer(name, at: time.now())
        guard let node = try transaction.container(container)?.node else { throw Errno(EIO) }
        var folder = try existing(node, transaction)
        folder.setRemoved(false)
        guard known != nil else { return folder }
        folder.markPending(at: time.now())
        try transaction.local.update(folder)
        return folder
    }

    /// `rmdir(2)` in the root: removes a container without documents, or the trash once it is empty.
    func removeTopFolder(_ name: ItemName) throws {
        try naming.shared {
            let item = try metadata.write { transaction in
                try requireKnown(name, in: .root)
                guard let item = try transaction.local.item(named: name, in: .root) else { throw Errno(ENOENT) }
                guard item.item == .root else {
                    guard try !transaction.local.hasChildren(item.node) else { throw Errno(ENOTEMPTY) }
                    try depart(item, transaction)
                    return item
                }
                var folder = try removable(item, transaction)
                folder.setRemoved(true)
                folder.markPending(at: time.now())
                try transaction.local.update(folder)
                return item
            }
            observer?.happened(.removed(item))
        }
        source.localTreeChanged()
    }

    /// Returns the folder of a removable container, in which its user has nothing.
    private func removable(_ item: LocalItem, _ transaction: MetadataTransaction) throws -> LocalItem {
        guard try transaction.container(item.container)?.name != .cloudDocs else {
            throw Errno(EPERM, "CloudDocs always exists")
        }
        guard try transaction.local.isVacant(item) else { throw Errno(ENOTEMPTY) }
        return item
    }

    /// `rename(2)` within the root: renames a container without documents. The new container takes over the old nodes,
    /// so the kernel's inode of the old name stays valid under the new name.
    func renameTopFolder(_ oldName: ItemName, to newName: ItemName, mode: RenameMode) throws {
        guard mode != .exchange else { throw Errno(EINVAL) }
        guard oldName != newName else { return }
        guard let newContainer = ContainerName(folderName: newName.description),
            newContainer.folderName == newName.description
        else { throw Errno(EINVAL, "a container's name is made of letters, digits, - _ and ~") }
        try naming.shared {
            let (old, replaced) = try metadata.write { transaction -> (LocalItem, LocalItem?) in
                for name in [oldName, newName] { try requireKnown(name, in: .root) }
                guard let old = try transaction.local.item(named: oldName, in: .root) else { throw Errno(ENOENT) }
                guard old.item == .root else { throw Errno(EPERM, "the trash keeps its name") }
                _ = try removable(old, transaction)
                let target = try transaction.local.item(named: newName, in: .root)
                if let target {
                    guard mode != .noReplace else { throw Errno(EEXIST) }
                    guard target.item == .root else { throw Errno(EPERM) }
                    _ = try removable(target, transaction)
                }
                try replace(old, by: shownContainer(newContainer, transaction), transaction)
                return (old, target)
            }
            if let replaced { observer?.happened(.removed(replaced)) }
            observer?.happened(.moved(old, to: .root, name: newName))
        }
        source.localTreeChanged()
    }

    /// Hides `old` and shows `new` in its place, under its nodes.
    private func replace(_ old: LocalItem, by new: LocalItem, _ transaction: MetadataTransaction) throws {
        let oldDocuments = try transaction.local.item(.documents, in: old.container)
        let newDocuments = try transaction.local.item(.documents, in: new.container)
        var (gone, shown) = (old, new)
        (gone.node, shown.node) = (new.node, old.node)
        gone.setRemoved(true)
        for item in [old, new, oldDocuments, newDocuments].compactMap(\.self) {
            try transaction.local.remove(item.node)
        }
        for var item in [gone, shown] {
            item.markPending(at: time.now())
            try transaction.local.restore(item)
            try transaction.setNode(item.node, of: item.container)
        }
        if var item = oldDocuments {
            (item.node, item.parent) = (newDocuments?.node ?? item.node, gone.node)
            try transaction.local.restore(item)
        }
        if var item = newDocuments {
            (item.node, item.parent) = (oldDocuments?.node ?? item.node, shown.node)
            try transaction.local.restore(item)
        }
    }

    /// Creates the trash, which is local only; documents of every container may be in it.
    private func makeTrash(_ name: ItemName, permissions: UInt16, caller: Caller) throws -> NodeAttributes {
        let item = try naming.shared {
            let item = try metadata.write { transaction in
                guard try transaction.local.item(named: name, in: .root) == nil else { throw Errno(EEXIST) }
                guard let home = try transaction.container(named: .cloudDocs)?.id else { throw Errno(EIO) }
                let now = time.now()
                var item = LocalItem(
                    container: home, item: newID(), parent: .root, name: name, kind: .folder,
                    attributes: .init(permissions: permissions & 0o7777, modified: now, created: now), changed: now)
                item.isExcluded = true
                item.user = caller.user == owner.user ? nil : caller.user
                item.group = caller.group == owner.group ? nil : caller.group
                item.node = try transaction.local.insert(item)
                return item
            }
            observer?.happened(.created(item))
            return item
        }
        return attributes(item)
    }
}

/// The names of the freedesktop trash at the top of a mount (specifications.freedesktop.org/trash-spec).
enum TrashFolder {
    /// Returns whether a name is `.Trash`, or `.Trash-` and a user's number.
    static func isName(_ name: ItemName) -> Bool {
        let prefix = Array(".Trash".utf8)
        guard name.bytes.starts(with: prefix) else { return false }
        let rest = name.bytes.dropFirst(prefix.count)
        guard let first = rest.first else { return true }
        let digits = rest.dropFirst()
        return first == UInt8(ascii: "-") && (1...10).contains(digits.count)
            && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
