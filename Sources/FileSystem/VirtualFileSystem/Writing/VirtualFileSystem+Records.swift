import Basics
import CloudModel
import LocalContent
import LocalMetadata
import Logging
import Synchronization

/// Recording what programs wrote: the edits of open files each in a transaction of its own, their closes many in one.
///
/// A close may wait for the next transaction: no program waits for it, and a start after a crash finds the same rows
/// and blobs as after a crash before the close: `isWriting`, and a blob differing from the row.
extension VirtualFileSystem {
    // MARK: One record

    /// Returns the record of everything missing from an open file's row.
    func editRecord(of state: borrowing OpenFile.State, endsWriting: Bool = false) throws -> EditRecord {
        let isReadable = state.download == nil && state.descriptor >= 0 && state.session.needsStatus
        let blob = isReadable ? try BlobStatus(descriptor: state.descriptor) : nil
        return state.session.record(blob, endsWriting: endsWriting)
    }

    /// Records an open file's edit in its row, with a further change of it, in one transaction.
    ///
    /// - Returns: Whether there is a row.
    func commit(
        _ record: EditRecord, of node: NodeID, _ state: inout OpenFile.State, _ use: SpaceUse = .freeing,
        _ change: (inout LocalItem) throws -> Void = { _ in }
    ) throws -> Bool {
        var base: SeenContent?
        let isThere = try updateRow(of: node, &state, use) { row, _, transaction in
            base = try apply(record, to: &row, at: time.now(), transaction)
            try change(&row)
        }
        guard isThere, let item = state.item else { return false }
        // Not before the commit: if the disk refused it, the next check or the close has to find the difference again.
        state.session.recorded(record)
        if let base { note(base, at: DocumentPlace(of: item)) }
        if record.isWritten { observer?.happened(.changed(node)) }
        if record.isEdit || record.endsWriting { source.localTreeChanged() } else { notifyIfPending(item) }
        // A start after a crash would apply the blob's attributes again while the row says that the file is written.
        if record.attributes != nil, !record.endsWriting {
            try content.removeUnrecordedAttributes(descriptor: state.descriptor)
        }
        return true
    }

    /// Applies a record in its transaction.
    ///
    /// - Returns: The base of an emptied document's edit, to be noted after the commit.
    private func apply(
        _ record: EditRecord, to row: inout LocalItem, at now: Timestamp, _ transaction: MetadataTransaction
    ) throws -> SeenContent? {
        let base = record.isWritten ? try rebase(row, overwritten: record.overwriting, transaction) : nil
        record.apply(to: &row, at: now)
        return base
    }

    /// Records the close of the last writer, and the edit if the blob was written.
    func finishWriting(of node: NodeID, _ state: inout OpenFile.State) throws {
        guard state.session.phase == .closed else { return }
        _ = try commit(editRecord(of: state, endsWriting: true), of: node, &state)
    }

    // MARK: Gathered closes

    package var hasWaitingCloses: Bool { !recorder.withLock(\.isEmpty) }

    /// Runs a change of rows in one transaction with the waiting closes, which come first.
    func changeRows<T>(_ use: SpaceUse = .ordinary, _ body: (MetadataTransaction) throws -> T) throws -> T {
        guard hasWaitingCloses else { return try metadata.write(use, body) }
        return try recording.shared {
            var taken: [EditRecorder.Close] = []
            var bases: [(SeenContent, DocumentPlace)] = []
            let result = try metadata.write(use) { transaction in
                taken = recorder.withLock { $0.take() }
                transaction.whenEnded { [self] isCommitted in recorder.withLock { $0.end(isCommitted: isCommitted) } }
                bases = try record(taken, transaction)
                return try body(transaction)
            }
            for (base, place) in bases { note(base, at: place) }
            for close in taken where close.record.isWritten { observer?.happened(.changed(close.file.node)) }
            return result
        }
    }

    /// - Returns: The bases of the edits of emptied documents.
    private func record(
        _ closes: [EditRecorder.Close], _ transaction: MetadataTransaction
    ) throws -> [(SeenContent, DocumentPlace)] {
        let now = time.now()
        var bases: [(SeenContent, DocumentPlace)] = []
        for close in closes {
            do {
                // The file was removed meanwhile, and its row is gone.
                guard let old = try transaction.local.item(close.file.node) else { continue }
                var row = old
                let base = try apply(close.record, to: &row, at: now, transaction)
                if let base { bases.append((base, DocumentPlace(of: old))) }
                try transaction.local.update(row, from: old)
            } catch let error as MetadataError where error.code == .damaged {
                // A corrupt row must not fail the changes of other items.
                log.error(
                    "could not record the end of writing",
                    metadata: ["node": "\(close.file.node)", "error": "\(error)"])
            }
        }
        return bases
    }

    /// Records the waiting closes, and releases their files. If the database refuses, they are retried with
    /// ``noteIdleEdits(pause:)``. Must not be called under a lock.
    package func recordCloses() {
        if hasWaitingCloses {
            do { try changeRows(.freeing) { _ in } } catch {
                log.error("could not record the end of writing; it will be retried", metadata: ["error": "\(error)"])
                for close in recorder.withLock(\.waiting) { giveUp(close) }
            }
        }
        settleCloses()
    }

    /// Lets the close of the last writer wait. The claim of the closing handle passes to it.
    ///
    /// - Returns: The action for ``carryOut(_:)`` once the file's state is unlocked; nil if the close has to be
    ///   recorded immediately.
    func waitWithClose(of file: OpenFile, _ state: inout OpenFile.State) -> EditRecorder.Action? {
        guard case .gathered = closing, state.session.phase == .closed, state.item != nil, state.download == nil else {
            return nil
        }
        let record: EditRecord
        // If the status is unreadable, immediate recording fails too, and is retried.
        do { record = try editRecord(of: state, endsWriting: true) } catch { return nil }
        let number = state.session.waits(record, at: time.now())
        return recorder.withLock { $0.add(EditRecorder.Close(file: file, number: number, record: record)) }
    }

    func carryOut(_ action: EditRecorder.Action) {
        switch (action, closing) {
        case (.record, _): recordCloses()
        case (.startTimer, .gathered(let later)):
            later { [self] in
                recorder.withLock { $0.timerEnded() }
                // Attributed to the requests that closed the files.
                RequestCosts.$isServing.withValue(true) { recordCloses() }
            }
        default: break
        }
        settleCloses()
    }

    /// Takes back the waiting close of a file about to be changed: unless it is recorded already, the caller records it.
    ///
    /// - Returns: Whether no transaction has taken it.
    @discardableResult
    func withdrawClose(of file: OpenFile, _ state: inout OpenFile.State) -> Bool {
        guard case .waiting(let record) = state.session.phase else { return false }
        let progress = recorder.withLock { $0.withdraw(file) }
        if progress == .recorded { noteRecorded(record, &state) } else { state.session.endsUnrecorded() }
        return progress == .waiting
    }

    /// Updates an open file's state like its row.
    private func noteRecorded(_ record: EditRecord, _ state: inout OpenFile.State) {
        if var item = state.item {
            record.apply(to: &item, at: time.now())
            state.item = item
        }
        state.session.recorded(record)
    }

    /// Releases the files of recorded and withdrawn closes. Must not be called under a lock.
    func settleCloses() {
        let settled = recorder.withLock { $0.takeSettled() }
        guard !settled.isEmpty else { return }
        for close in settled {
            close.file.state.withLock { state in
                // The file may have been closed again since.
                guard case .waiting(let record) = state.session.phase, state.session.waitCount == close.number else {
                    return
                }
                noteRecorded(record, &state)
            }
            drop(close.file)
        }
        source.localTreeChanged()
    }

    /// Leaves a close to the periodic retries, unless it was withdrawn, or a transaction has taken it meanwhile.
    private func giveUp(_ close: EditRecorder.Close) {
        let isGivenUp = close.file.state.withLock { state in
            guard recorder.withLock({ $0.giveUp(close.file) }) != nil else { return false }
            state.session.endsUnrecorded()
            return true
        }
        if isGivenUp { letGo(close.file) }
    }
}
