import Basics
import CloudModel
import LocalContent
import LocalMetadata
import Logging
import Synchronization

/// Recording closes of files, many in one transaction.
///
/// A close may wait for the next transaction: no program waits for it, and a start after a crash finds the same rows
/// and blobs as after a crash before the close: `isWriting`, and a blob differing from the row.
extension VirtualFileSystem {
    /// How long edits of a repeatedly opened and closed file may stay unrecorded.
    private static let longestWait = Duration.seconds(1)

    /// Runs a change of rows in one transaction with the waiting closes, which come first.
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
            for close in taken where close.record.isWritten { observer?.happened(.changed(close.file.node)) }
            return result
        }
    }

    package var hasWaitingCloses: Bool { !closes.isEmpty }

    /// Records the waiting closes, and releases their files. If the database refuses, they are retried with
    /// ``noteIdleEdits(pause:)``. Must not be called under a lock.
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
    /// - Returns: The action for ``carryOut(_:)`` once the file's state is unlocked; nil if the close has to be
    ///   recorded immediately.
    func waitWithClose(of file: OpenFile, _ state: inout OpenFile.State) -> ClosedFiles.Action? {
        guard case .gathered = closing, !state.isUnlinked, state.item != nil, state.download == nil,
            !state.isUnfinished
        else { return nil }
        let record: EditRecord
        // If the status is unreadable, immediate recording fails too, and is retried.
        do { record = try editRecord(of: state, endsWriting: true) } catch { return nil }
        if record.isWritten { state.hasNotedEdit = true }
        let close = WaitingClose(of: file, record, since: state.unrecordedSince ?? time.now())
        state.waitingClose = close
        return closes.add(close)
    }

    func carryOut(_ action: ClosedFiles.Action) {
        switch (action, closing) {
        case (.record, _): recordCloses()
        case (.startTimer, .gathered(let later)):
            later { [self] in
                closes.timerEnded()
                // Attributed to the requests that closed the files.
                RequestCosts.$isServing.withValue(true) { recordCloses() }
            }
        default: break
        }
        settleCloses()
    }

    /// Takes back the close of a file reopened for writing.
    ///
    /// - Returns: Whether the row still durably marks the file as being written, so there is nothing to record.
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

    /// Takes back the close of a file before its row changes.
    ///
    /// - Returns: Whether the caller's transaction has to record the close.
    func withdrawClose(_ state: inout OpenFile.State) -> Bool {
        guard let close = state.waitingClose.take() else { return false }
        guard close.withdraw() == .recorded else { return true }
        end(close, &state)
        return false
    }

    /// - Returns: The bases of the edits of emptied documents.
    private func record(
        _ closes: [WaitingClose], _ transaction: MetadataTransaction
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

    /// Releases the files of recorded and withdrawn closes. Must not be called under a lock.
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

    /// Updates the open file's state like its row.
    private func end(_ close: WaitingClose, _ state: inout OpenFile.State) {
        guard var item = state.item else { return }
        close.record.apply(to: &item, at: time.now())
        state.item = item
        noteRecorded(close.record, &state)
    }

    /// Leaves the close to the periodic retries.
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
