import Basics
import CloudModel
import Glibc
import LocalContent
package import LocalMetadata
import Synchronization
import Transfers

extension VirtualFileSystem {
    /// `mkdir(2)`; in the mount's root it creates a container, with its `Documents/`, or the trash.
    package func makeFolder(
        _ bytes: [UInt8], in parent: NodeID, permissions: UInt16, caller: Caller
    ) throws -> NodeAttributes {
        let name = try Self.name(bytes)
        if parent == .root { return try makeTopFolder(name, permissions: permissions, caller: caller) }
        return attributes(
            try insert(name, in: parent, kind: .folder, caller: caller) { item in
                // Keeps the set-group-ID bit set by newItem, as inherited from the folder (inode(7)).
                item.attributes.permissions |= permissions & 0o7777
            })
    }

    package func makeSymlink(
        _ bytes: [UInt8], in parent: NodeID, target: [UInt8], caller: Caller
    ) throws -> NodeAttributes {
        guard target.count <= 4095 else { throw Errno(ENAMETOOLONG) }
        return attributes(
            try insert(try Self.name(bytes), in: parent, kind: .symlink, caller: caller) { item in
                item.attributes.permissions = 0o777
                item.target = target
            })
    }

    /// `mknod(2)` of a regular file, pipe or socket. Device nodes are refused with `EPERM`.
    package func makeNode(
        _ bytes: [UInt8], in parent: NodeID, kind: LocalKind, permissions: UInt16, caller: Caller
    ) throws -> NodeAttributes {
        let item = try insert(try Self.name(bytes), in: parent, kind: kind, caller: caller) { item in
            item.attributes.permissions = permissions & 0o7777
            if kind == .file {
                item.presence = .whole
                item.isEdited = true
                item.generation = 1
            }
            // Pipes and sockets have no meaning on remote devices.
            if kind == .pipe || kind == .socket {
                item.isExcluded = true
                item.pendingSince = nil
            }
        } afterInsertion: { item in
            if kind == .file { _ = try makeEmptyBlob(item) }
        }
        return attributes(item)
    }

    /// Creates the blob for the upload. Its time is set, so a later write is recognised, also after a crash before the
    /// close.
    private func makeEmptyBlob(_ item: LocalItem) throws -> (bytes: SharedDescriptor, status: BlobStatus) {
        let bytes = SharedDescriptor(adopting: try content.create(item.blob))
        try DescriptorReserve.admit(bytes.raw)
        try LocalContent.setModified(item.attributes.modified, descriptor: bytes.raw)
        return (bytes, try BlobStatus(descriptor: bytes.raw))
    }

    /// `open(2)` with `O_CREAT` of a free name. If it is not free, the caller fails with `EEXIST` or opens the existing
    /// file.
    package func create(
        _ bytes: [UInt8], in parent: NodeID, permissions: UInt16, caller: Caller
    ) throws -> (attributes: NodeAttributes, handle: OpenHandle) {
        let name = try Self.name(bytes)
        return try gate.shared {
            var blob: (bytes: SharedDescriptor, status: BlobStatus)?
            let item = try insert(name, in: parent, kind: .file, caller: caller) { item in
                item.attributes.permissions = permissions & 0o7777
                item.presence = .whole
                item.isEdited = true
                item.isWriting = true
                item.generation = max(1, item.generation)
                // The last close marks it pending; until then there is no content worth sending.
                item.pendingSince = nil
            } afterInsertion: { item in
                // Everything that can fail precedes the commit: a name whose creation failed must not exist.
                blob = try makeEmptyBlob(item)
            }
            guard let blob else { throw Errno(EIO) }
            return (attributes(item), adopt(item, blob.bytes, blob.status))
        }
    }

    /// Adds a newly created file to the open files, open for writing.
    private func adopt(_ item: LocalItem, _ bytes: SharedDescriptor, _ status: BlobStatus) -> OpenHandle {
        let file = openFiles.claim(item.node)
        file.state.withLock { state in
            state.item = item
            state.blob = item.blob
            state.bytes = bytes
            state.handles = 1
            _ = state.session.writerOpens()
            state.session.baseline = status
        }
        return OpenHandle(file: file, canWrite: true)
    }

    /// Inserts a new row. It takes over the identity of an unsent deletion of the same name: to remote devices this is
    /// an edit.
    private func insert(
        _ name: ItemName, in parent: NodeID, kind: LocalKind, caller: Caller, fill: (inout LocalItem) -> Void,
        afterInsertion: (LocalItem) throws -> Void = { _ in }
    ) throws -> LocalItem {
        var base: SeenContent?
        let item = try creating { transaction in
            let folder = try folder(parent, transaction)
            guard try transaction.local.item(named: name, in: parent) == nil else { throw Errno(EEXIST) }
            try checkFolding(name, in: folder, transaction)
            var item = try newItem(name, in: folder, kind: kind, caller: caller, transaction)
            fill(&item)
            let emptied: NodeID?
            (base, emptied) = try takePlace(&item, from: nil, transaction, at: item.changed)
            if item.isExcluded { item.pendingSince = nil }
            item.node = try transaction.local.insert(item)
            if let emptied { try handOnContents(of: emptied, to: item.node, transaction, at: item.changed) }
            try transaction.local.touch(parent, at: item.changed)
            try afterInsertion(item)
            return item
        }
        if kind == .file {
            note(base ?? SeenContent(item: item.item, content: nil), at: DocumentPlace(parent, name))
        }
        notifyIfPending(item)
        return item
    }

    /// Refuses a name that differs from an existing name of its folder in case only, in a case-insensitive container:
    /// it would get a number in the log.
    ///
    /// - Parameter node: An item of that folder about to get the name.
    func checkFolding(
        _ name: ItemName, in folder: LocalItem, besides node: NodeID? = nil, _ transaction: MetadataTransaction
    ) throws {
        if try transaction.local.item(foldingTo: name, in: folder, besides: node) != nil { throw Errno(EEXIST) }
    }

    private func creating(_ body: (MetadataTransaction) throws -> LocalItem) throws -> LocalItem {
        try naming.shared {
            let item = try changeRows(.ordinary, body)
            observer?.happened(.created(item))
            return item
        }
    }

    private func newItem(
        _ name: ItemName, in folder: LocalItem, kind: LocalKind, caller: Caller, _ transaction: MetadataTransaction
    ) throws -> LocalItem {
        let now = time.now()
        var item = LocalItem(
            container: folder.container, item: newID(), parent: folder.node, name: name, kind: kind,
            attributes: ItemAttributes(permissions: 0, modified: now, created: now), changed: now)
        item.exclusion = try exclusion(ofNew: kind, name, in: folder, transaction)
        item.user = caller.user == owner.user ? nil : caller.user
        item.group = inheritedGroup(folder, caller: caller)
        if kind == .folder { item.attributes.permissions = folder.attributes.permissions & 0o2000 }
        item.markPending(at: now)
        return item
    }

    /// Returns the group inherited by a new item from a set-group-ID folder (inode(7)), else the caller's.
    private func inheritedGroup(_ folder: LocalItem, caller: Caller) -> UInt32? {
        let group = folder.attributes.permissions & 0o2000 != 0 ? folder.group ?? owner.group : caller.group
        return group == owner.group ? nil : group
    }
}
