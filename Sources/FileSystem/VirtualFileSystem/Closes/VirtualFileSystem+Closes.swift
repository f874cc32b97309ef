import Basics
import CloudModel
import LocalContent
import LocalMetadata
import Logging
import Synchronization

/// Recording that files were closed, many in one transaction.
///
/// A close may wait for the next transaction because no program waits for it, and because a start after a crash finds the same rows and
/// blobs as it does after a crash before the close: `isWriting`, and a blob that differs from the row.
extension VirtualFileSystem {
    /// How long a file that is opened and closed again and again may go on without a record of its edits.
    private static let longestWait = Duration.seconds(1)

    /// Runs a change of rows in one transaction with the closes that wait, which come first.
    func changeRows<T>(_ use: SpaceUse = .ordinary, _ body: (MetadataTransaction) throws -> T) throws -> T {
        guard !closes.isEmpty else { return try metadata.write(use, body) }
        return try recording.shared {
            var taken: [WaitingClose] = []
            var bases: [(SeenContent, DocumentPlace)] = []
            let result = try metadata.write(use) { transaction in
                let found = closes.take()
                transaction.whenEnded { [closes] in closes.end(found, isCommitted: $0) }
                taken = found
                bases = try record(found, transaction)
                return try body(transaction)
            }
            for (base, place) in bases { note(base, at: place) }
            for close in taken where close.written != nil { observer?.happened(.changed(close.file.node)) }
            return result
        }
    }

    package var hasWaitingCloses: Bool { !closes.isEmpty }

    /// Records the closes that wait, and releases their files. Those that the database refuses are tried again with ``noteIdleEdits(pause:)``.
    /// Must not be called under a lock.
    package func recordCloses() {
        if !closes.isEmpty {
            do { try changeRows(.freeing) { _ in } } catch {
                log.error("could not record the end of writing; it will be retried", metadata: ["error": "\(error)"])
                for close in closes.removeWaiting() { keepUnfinished(close) }
            }
        }
        settleCloses()
    }

    /// Lets the close of the last writer wait. The claim of the closing handle passes to it.
    ///
    /// - Returns: What to do with ``carryOut(_:)`` once the file's state is unlocked; nil where the close has to be recorded at once.
    func waitWithClose(of file: OpenFile, _ state: inout OpenFile.State) -> ClosedFiles.Action? {
        guard case .gathered = closing, !state.isUnlinked, state.item != nil, state.download == nil,
            !state.isUnfinished
        else { return nil }
        let (written, attributes): (BlobStatus?, (UnrecordedAttributes, BlobStatus)?)
        // Where the status cannot be read, recording at once fails too, and is retried.
        do {
            written = try writtenStatus(state)
            attributes = try state.unrecorded.map { ($0, try written ?? BlobStatus(descriptor: state.descriptor)) }
        } catch { return nil }
        if written != nil { state.hasNotedEdit = true }
        let close = WaitingClose(
            of: file, written: written, attributes: attributes, overwriting: state.overwriting,
            since: state.unrecordedSince ?? time.now())
        state.waitingClose = close
        return closes.add(close)
    }

    func carryOut(_ action: ClosedFiles.Action) {
        switch (action, closing) {
        case (.record, _): recordCloses()
        case (.startTimer, .gathered(let later)):
            later { [self] in
                closes.timerEnded()
                // The requests that closed the files have caused it.
                RequestCosts.$isServing.withValue(true) { recordCloses() }
            }
        default: break
        }
        settleCloses()
    }

    /// Takes back the close of a file that is opened for writing again.
    ///
    /// - Returns: Whether the row still says durably that the file is being written, so that there is nothing to record.
    func resumeWriting(_ state: inout OpenFile.State) throws -> Bool {
        guard let close = state.waitingClose.take() else { return false }
        switch close.withdraw() {
        // The clock may have been set back.
        case .waiting where (close.since..<close.since.adding(Self.longestWait)).contains(time.now()):
            state.unrecordedSince = close.since
            return true
        case .recorded: end(close, &state)
        default:
            do { try finishWriting(&state) } catch {
                state.isUnfinished = true
                throw error
            }
        }
        return false
    }

    /// Takes back the close of a file whose row is about to be changed.
    ///
    /// - Returns: Whether the caller's transaction has to record the close.
    func withdrawClose(_ state: inout OpenFile.State) -> Bool {
        guard let close = state.waitingClose.take() else { return false }
        guard close.withdraw() == .recorded else { return true }
        end(close, &state)
        return false
    }

    /// - Returns: What the edits of emptied documents are based on.
    private func record(
        _ closes: [WaitingClose], _ transaction: MetadataTransaction
    ) throws -> [(SeenContent, DocumentPlace)] {
        let now = time.now()
        var bases: [(SeenContent, DocumentPlace)] = []
        for close in closes {
            do {
                // The row of a file that was removed meanwhile is gone.
                guard let old = try transaction.local.item(close.file.node) else { continue }
                if close.written != nil, let base = try rebase(old, overwritten: close.overwriting, transaction) {
                    bases.append((base, DocumentPlace(of: old)))
                }
                var row = old
                apply(close, to: &row, at: now)
                try transaction.local.update(row, from: old)
            } catch let error as MetadataError where error.code == .damaged {
                // A damaged row must not make the changes of other items fail.
                log.error(
                    "could not record the end of writing",
                    metadata: ["node": "\(close.file.node)", "error": "\(error)"])
            }
        }
        return bases
    }

    private func apply(_ close: WaitingClose, to row: inout LocalItem, at now: Timestamp) {
        if let written = close.written { Self.noteEdit(written, &row) }
        if let (attributes, blob) = close.attributes { attributes.apply(to: &row, blob) }
        row.isWriting = false
        if row.isEdited { markPending(&row, at: now) }
    }

    /// Releases the files whose closes are recorded or withdrawn. Must not be called under a lock.
    func settleCloses() {
        let settled = closes.takeSettled()
        guard !settled.isEmpty else { return }
        for close in settled {
            close.file.state.withLock { state in
                guard state.waitingClose === close else { return }
                state.waitingClose = nil
                end(close, &state)
            }
            drop(close.file)
        }
        source.localTreeChanged()
    }

    /// Updates what is known of an open file as its row was.
    private func end(_ close: WaitingClose, _ state: inout OpenFile.State) {
        guard var item = state.item else { return }
        apply(close, to: &item, at: time.now())
        state.item = item
        state.unrecorded = nil
        if close.written != nil { (state.unread, state.overwriting) = (nil, nil) }
    }

    /// Leaves the close to those that are retried from time to time.
    private func keepUnfinished(_ close: WaitingClose) {
        let isUnfinished = close.file.state.withLock { state in
            guard state.waitingClose === close else { return false }
            state.waitingClose = nil
            _ = close.withdraw()
            state.isUnfinished = true
            return true
        }
        if isUnfinished { keepOpen(close.file) } else { drop(close.file) }
    }
}
