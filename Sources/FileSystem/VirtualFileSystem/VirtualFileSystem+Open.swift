import Basics
import CloudModel
import Glibc
import LocalContent
package import LocalMetadata
import Logging
import Synchronization
import Transfers

extension VirtualFileSystem {
    /// `open(2)` of an existing file. Returns immediately even if its bytes are missing: a read then waits for its
    /// range.
    ///
    /// - Parameters:
    ///   - permit: The program's download permit; nil: the caller finds it out if it matters.
    ///   - keepsAccessTime: Whether it was opened with `O_NOATIME`, for reading only: by some programs for a look.
    /// - Throws: ``AllowanceNeeded`` if it matters; `EAGAIN` if the program may not have the missing bytes. Truncating
    ///   to 0 needs none.
    package func open(
        _ node: NodeID, canRead: Bool = true, canWrite: Bool, truncate: Bool, permit: DownloadPermit? = .full,
        keepsAccessTime: Bool = false
    ) throws -> OpenHandle {
        let permit = truncate ? .full : permit
        let isLook = keepsAccessTime && !canWrite && permit?.looks == .short
        return try gate.shared {
            let file = openFiles.claim(node)
            var head: ContentHead?
            do {
                try file.state.withLock { state in
                    let isEmptied = try truncate && loadEmpty(&state, node)
                    if !isEmptied { try load(&state, node, permit, canWrite: canWrite, isLook: isLook) }
                    do {
                        if isEmptied { try metadata.makeDurable() }
                        if state.handles == 0 { try DescriptorReserve.admit(state.descriptor) }
                        if isLook, state.download != nil { head = state.item?.head }
                        if !keepsAccessTime, !isEmptied { noteOpen(&state, canRead: canRead && !truncate) }
                        if canWrite { try beginWriting(file, &state) }
                    } catch {
                        // Its row says that it is being written.
                        if isEmptied, state.session.writers == 0 { state.session.endsUnrecorded() }
                        throw error
                    }
                    do {
                        if truncate { try resize(&state, to: 0) }
                    } catch {
                        if canWrite { state.session.writerCloses() }
                        throw error
                    }
                    state.handles += 1
                }
            } catch {
                letGo(file)
                throw error
            }
            usage.note(node, time.now())
            return OpenHandle(file: file, canWrite: canWrite, permit: permit ?? .full, head: head)
        }
    }

    /// Opens the descriptor and, if missing bytes may be downloaded, the download.
    private func load(
        _ state: inout OpenFile.State, _ node: NodeID, _ permit: DownloadPermit?, canWrite: Bool, isLook: Bool
    ) throws {
        guard state.descriptor < 0 else {
            if let download = state.download, !download.isComplete, let item = state.item {
                _ = try reader(of: item, permit, canWrite: canWrite)
            }
            return
        }
        // A download may end between reading the row and joining it: the row is then read again. Each retry is caused
        // by a different download.
        for _ in 0..<8 {
            do {
                return try loadOnce(&state, node, isLook: isLook) { item in
                    try reader(of: item, permit, canWrite: canWrite)
                }
            } catch let error as Errno where error.code == ESTALE {
                guard try metadata.item(node) != nil else { throw error }
            }
        }
        throw Errno(EAGAIN, "its content keeps changing")
    }

    /// Throws unless bytes of a document may be downloaded for an open. A writer needs all of them.
    ///
    /// - Returns: The name of the program needing them; nil if it is not known.
    private func reader(of item: LocalItem, _ permit: DownloadPermit?, canWrite: Bool) throws -> String? {
        guard let permit else { throw AllowanceNeeded() }
        guard permit.allowance == .full || permit.allowance == .head && !canWrite else {
            throw Errno(EAGAIN, "its bytes are not here, and the program may not download them")
        }
        guard canWrite || mayLook(at: item, permit) else {
            throw Errno(EAGAIN, "its bytes are not here, and the program looked into several documents just now")
        }
        return permit.program
    }

    /// Returns false for a program whose type detection would download a part of each document of a folder.
    private func mayLook(at item: LocalItem, _ permit: DownloadPermit) -> Bool {
        guard permit.looks == .long, let program = permit.program, item.presence == .none,
            ContentHead.isNeeded(by: item.name, size: item.size)
        else { return true }
        return sparingLooks.withLock { $0.admits(item.node, by: program, at: time.now()) }
    }

    private func loadOnce(
        _ state: inout OpenFile.State, _ node: NodeID, isLook: Bool, _ reader: (LocalItem) throws -> String?
    ) throws {
        guard let item = try metadata.item(node) else { return try loadRemoved(&state, node) }
        guard item.kind == .file else { throw Errno(item.kind == .folder ? EISDIR : ENXIO) }
        guard item.content != nil || item.isEdited || item.size == 0 else {
            throw Errno(EAGAIN, "its bytes have not reached the cloud yet")
        }
        if item.isMaterialised {
            state.bytes = SharedDescriptor(adopting: try openBlob(item))
        } else {
            let program = try reader(item)
            let (bytes, download) =
                isLook && item.head != nil
                ? try source.openForLook(item, for: program) : try source.openIncomplete(item, for: program)
            state.bytes = bytes
            state.incomplete = (item, download)
        }
        state.item = item
        state.blob = item.blob
    }

    /// Opens a file removed after the kernel's lookup of its name, as on a disk: a program opening a document during a
    /// save by rename sees the old or the new one. The kernel repeats a failed open only once.
    private func loadRemoved(_ state: inout OpenFile.State, _ node: NodeID) throws {
        guard let item = removedItem(node), item.kind == .file, item.isMaterialised else { throw Errno(ESTALE) }
        do { state.bytes = SharedDescriptor(adopting: try content.open(item.blob)) } catch {
            guard error.code == ENOENT else { throw error }
            // An empty file needs no blob.
            guard item.presence == .none else { throw Errno(ESTALE) }
            state.bytes = SharedDescriptor(adopting: try content.create(item.blob))
        }
        state.item = item
        state.blob = item.blob
        state.session.unlinked()
    }

    private func openBlob(_ item: LocalItem) throws -> Int32 {
        if item.presence == .none { return try content.create(item.blob) }
        do { return try content.open(item.blob) } catch {
            guard error.code == ENOENT else { throw error }
            // An empty file needs no blob.
            if item.size == 0 { return try content.create(item.blob) }
            guard item.content != nil, !item.isEdited, !item.isWriting else { throw Errno(EIO, "blob lost") }
            try forgetBytes(of: item)
            throw Errno(ESTALE, "the row has changed")
        }
    }

    /// Makes the document a placeholder again, after the disk lost a blob with bytes in the cloud.
    private func forgetBytes(of item: LocalItem) throws {
        log.warning(
            "a document's bytes are missing on this disk; they will be downloaded again",
            metadata: ["node": "\(item.node)"])
        _ = try update(item.node, .freeing) { row in
            guard row.generation == item.generation, row.presence == .whole else { return }
            row.presence = .none
            row.ranges = []
            row.generation += 1
        }
    }

    /// Closes a handle; closing the last writable handle records the file's edit.
    ///
    /// - Returns: Whether size and times may differ from those returned before.
    @discardableResult
    package func release(_ handle: OpenHandle) -> Bool {
        let file = handle.file
        let (isNoted, waiting, isChanged) = file.state.withLock { state -> (Bool, EditRecorder.Action?, Bool) in
            state.handles -= 1
            guard handle.canWrite, state.session.writerCloses() else { return (true, nil, false) }
            if let waiting = waitWithClose(of: file, &state) { return (false, waiting, state.session.hasNotedEdit) }
            let isNoted = isFinished(file.node, &state)
            return (isNoted, nil, state.session.hasNotedEdit || !isNoted)
        }
        // A file with an unrecorded edit stays open until it is recorded.
        if let waiting {
            carryOut(waiting)
        } else if isNoted {
            drop(file)
        } else {
            keepOpen(file)
        }
        return isChanged
    }

    /// Stores when files were used, for the eviction plan.
    package func saveUsage() throws {
        let times = usage.take()
        if !times.isEmpty { try metadata.write { try $0.transfers.setUsed(times) } }
    }

    @discardableResult
    func update(
        _ node: NodeID, _ use: SpaceUse = .ordinary, _ body: (inout LocalItem) throws -> Void
    ) throws -> LocalItem {
        try update(node, use) { item, _ in try body(&item) }
    }

    @discardableResult
    func update(
        _ node: NodeID, _ use: SpaceUse = .ordinary, _ body: (inout LocalItem, MetadataTransaction) throws -> Void
    ) throws -> LocalItem {
        guard let item = try updateIfThere(node, use, body) else { throw Errno(ENOENT) }
        return item
    }

    /// Changes the row of an open file. If there is none, the file was removed since it was opened: there is nothing to
    /// record, and the handles keep their state.
    ///
    /// - Returns: Whether there is a row.
    func updateRow(
        of node: NodeID, _ state: inout OpenFile.State, _ use: SpaceUse = .freeing,
        _ body: (inout LocalItem, borrowing OpenFile.State, MetadataTransaction) throws -> Void
    ) throws -> Bool {
        guard !state.session.isUnlinked else { return false }
        // Allowed on a full disk too: writes have to be recorded, and a file may have been opened to be truncated.
        let row = try updateIfThere(node, use) { row, transaction in try body(&row, state, transaction) }
        if let row {
            state.item = row
            return true
        }
        // The remover of the row notes the same, maybe later.
        state.session.unlinked()
        state.item?.changed = time.now()
        return false
    }

    func updateIfThere(
        _ node: NodeID, _ use: SpaceUse = .ordinary, _ body: (inout LocalItem, MetadataTransaction) throws -> Void
    ) throws -> LocalItem? {
        try changeRows(use) { transaction in
            guard let old = try transaction.local.item(node) else { return nil }
            var item = old
            try body(&item, transaction)
            try transaction.local.update(item, from: old)
            return item
        }
    }

    /// Releases a claim; the last release closes the descriptor and removes nameless bytes.
    func drop(_ file: OpenFile) {
        guard openFiles.release(file) else { return }
        file.state.withLock { state in
            guard state.bytes != nil else { return }
            if state.session.isUnlinked { keepStatus(state) }
            state.bytes = nil
            if let incomplete = state.incomplete.take() { source.closeIncomplete(incomplete.row) }
            if state.session.isUnlinked, let blob = state.blob { removal.remove(blob) }
        }
    }
}
