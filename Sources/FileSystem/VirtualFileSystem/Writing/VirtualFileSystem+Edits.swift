import Basics
import CloudModel
import Glibc
import LocalContent
package import LocalMetadata
import Logging
import Synchronization

/// Edits not recorded by a close: of files that stay open, and of files whose close found the disk full.
extension VirtualFileSystem {
    /// Updates the row to the blob's current status, if they differ.
    func noteEdit(of node: NodeID, _ state: inout OpenFile.State) throws {
        let record = try editRecord(of: state)
        if record.isEdit { _ = try commit(record, of: node, &state) }
    }

    /// Returns whether an open file's row may lack writes: a program's close does not wait for them.
    func isRowLate(_ file: OpenFile, _ state: borrowing OpenFile.State) -> Bool {
        switch state.session.phase {
        case .idle: false
        case .writing, .closed: true
        case .waiting: recorder.withLock { $0.isPending(file) }
        }
    }

    /// Returns whether the file has writes missing from its row.
    func hasUnrecordedWrite(_ file: OpenFile, _ state: borrowing OpenFile.State) -> Bool {
        // A blob with an unreadable status may have been written.
        do { return try isRowLate(file, state) && editRecord(of: state).isEdit } catch { return true }
    }

    func hasUnrecordedWrite(_ file: OpenFile) -> Bool { file.state.withLock { hasUnrecordedWrite(file, $0) } }

    /// Records all writes so far to files open for writing at or below any of these items: a program closes a file
    /// before the file system receives the release.
    package func noteEdits(atAndBelow nodes: Set<NodeID>) throws {
        recordCloses()
        // A concurrent thread may have recorded an edit without having notified the observer yet.
        recording.exclusive {}
        let open = openFiles.all.filter { $0.state.withLock { $0.session.writers > 0 && $0.descriptor >= 0 } }
        guard !open.isEmpty else { return }
        let wanted = try metadata.read { transaction in
            try open.filter { file in
                var node: NodeID? = file.node
                while let current = node, !nodes.contains(current) {
                    node = try transaction.local.item(current)?.parent
                }
                return node != nil
            }
        }
        for file in wanted { try file.state.withLock { try noteEdit(of: file.node, &$0) } }
    }

    /// Records edits of files that stay open for writing, such as databases and logs, after `pause` without writes. The
    /// following upload checks that they did not change meanwhile.
    package func noteIdleEdits(pause: Duration) {
        recordCloses()
        finishLate()
        applyLateIgnoreFiles()
        renewBlobs()
        let limit = time.now().adding(.zero - pause)
        for file in openFiles.all {
            file.state.withLock { state in
                guard state.session.writers > 0, state.descriptor >= 0 else { return }
                do {
                    let blob = try BlobStatus(descriptor: state.descriptor)
                    if blob.changed < limit { try noteEdit(of: file.node, &state) }
                } catch { log.warning("could not read the status of an open file", metadata: ["error": "\(error)"]) }
            }
        }
    }

    /// Records the end of writing. Returns false if the database refuses it, for example on a full disk: the bytes are
    /// there, and the row says "writing" until a retry succeeds, now or at the next start.
    func isFinished(_ node: NodeID, _ state: inout OpenFile.State) -> Bool {
        do { try finishWriting(of: node, &state) } catch {
            log.error("could not record the end of writing; it will be retried", metadata: ["error": "\(error)"])
        }
        return state.session.phase != .closed
    }

    /// Keeps the claim on a closed file until its row is updated.
    func keepOpen(_ file: OpenFile) { unfinished.withLock { $0.append(file) } }

    /// Releases a claim, unless the end of writing has still to be recorded.
    func letGo(_ file: OpenFile) {
        let isFinished = file.state.withLock { $0.session.phase != .closed }
        if isFinished { drop(file) } else { keepOpen(file) }
    }

    /// Rewrites blobs the disk failed to store, unless they are open; until then none of them counts as durable.
    private func renewBlobs() {
        for blob in content.blobsToRenew {
            do { try renewing.withLock { _ in try renew(blob) } } catch {
                log.error(
                    "a document's bytes cannot be made durable", metadata: ["blob": "\(blob)", "error": "\(error)"])
            }
        }
    }

    private func renew(_ blob: BlobName) throws {
        let node = NodeID(blob.node)
        // A download still writes to an incomplete blob; such a blob is rewritten at the next start.
        guard content.needsRenewal(blob), let item = try metadata.read({ try $0.local.item(node) }), item.blob == blob,
            item.presence == .whole, !openFiles.isOpen(node)
        else { return }
        let before = try content.status(blob)
        try content.beginRenewal(of: blob)
        // While the gate is held the file cannot be opened.
        try gate.exclusive {
            guard !openFiles.isOpen(node), try content.status(blob) == before else { return }
            try content.finishRenewal(of: blob)
        }
    }

    private func finishLate() {
        let files = unfinished.withLock { unfinished in
            defer { unfinished = [] }
            return unfinished
        }
        for file in files {
            // A later open for writing has finished it.
            let isDone = file.state.withLock { isFinished(file.node, &$0) }
            if isDone { drop(file) } else { keepOpen(file) }
        }
    }
}
