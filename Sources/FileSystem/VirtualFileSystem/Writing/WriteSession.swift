import Basics
import LocalContent

/// What programs write to an open file, and how much of it the file's row has. Pure: each event changes the session, and
/// returns what is to be done.
///
/// Invariants:
/// - The row is marked as being written from before the first byte changes until the record of the last writer's close
///   is committed, so a start after a crash finds every edit.
/// - What was written stays missing from the row, as ``record(_:endsWriting:)`` shows, until a committed record has it:
///   nothing is forgotten if a transaction fails.
/// - A file whose name is gone records nothing.
struct WriteSession {
    enum Phase: Equatable {
        /// No writer, and nothing to record.
        case idle
        /// Open for writing, by this many handles.
        case writing(Int)
        /// The last writer has closed the file, or failed to open it, and the row does not say so yet.
        case closed
        /// The record of that close waits for a transaction, in the ``EditRecorder``.
        case waiting(EditRecord)
    }

    /// How long edits of a repeatedly opened and closed file may stay unrecorded.
    private static let longestWait = Duration.seconds(1)

    private(set) var phase = Phase.idle
    /// Whether the name is gone; the bytes are then removed with the last handle.
    private(set) var isUnlinked = false
    /// The blob's status when its row last had everything: while it is unchanged, nothing was written.
    var baseline: BlobStatus?
    /// Whether an edit has been recorded, or waits for that, since writing began.
    private(set) var hasNotedEdit = false
    /// The content last seen by programs in place of the document when a handle unable to read it was opened.
    private var unread: SeenContent?
    /// The same, once such a handle has emptied the document, until that edit is recorded.
    private(set) var overwriting: SeenContent?
    /// Attributes set by programs but missing from the row; the blob has them too.
    private(set) var attributes: UnrecordedAttributes?
    /// The time of the earliest close not recorded yet, even if the file was reopened since.
    private var closedSince: Timestamp?
    /// The number of waiting closes so far, to tell the current one from earlier ones.
    private(set) var waitCount = 0

    var writers: Int { if case .writing(let count) = phase { count } else { 0 } }

    var isWaiting: Bool { if case .waiting = phase { true } else { false } }

    // MARK: Opening

    /// A handle unable to read is about to be opened without other writers, where programs have last seen `content`.
    mutating func opensUnread(_ content: SeenContent?) { unread = content }

    /// A program is about to empty the document.
    mutating func empties() { overwriting = unread }

    /// That edit, or its beginning, was recorded.
    mutating func emptied() { (unread, overwriting) = (nil, nil) }

    /// A writer opens the file; not while its phase is `closed` or `waiting`.
    ///
    /// - Returns: Whether it is the first, so that the file has to be marked as being written. If that fails,
    ///   ``writerCloses()`` follows.
    mutating func writerOpens() -> Bool {
        phase = .writing(writers + 1)
        guard writers == 1 else { return false }
        hasNotedEdit = false
        return true
    }

    /// A writer opens a file whose close was withdrawn before any transaction took it.
    ///
    /// - Returns: Whether writing continues: the row still durably marks the file. False if the edits have waited for
    ///   too long, and are to be recorded first.
    mutating func resumes(at now: Timestamp) -> Bool {
        // The clock may have been set back.
        guard phase == .closed, let since = closedSince, (since..<since.adding(Self.longestWait)).contains(now) else {
            return false
        }
        phase = .idle
        return writerOpens()
    }

    // MARK: Closing

    /// A writer closes the file.
    ///
    /// - Returns: Whether it was the last: the close is to be recorded, if the phase is `closed`.
    @discardableResult
    mutating func writerCloses() -> Bool {
        guard writers < 2 else {
            phase = .writing(writers - 1)
            return false
        }
        endsUnrecorded()
        return true
    }

    /// No writer is left, and the row says that the file is being written: an open has failed, the database refused the
    /// record of the close, or an operation has withdrawn it to record it.
    mutating func endsUnrecorded() { phase = isUnlinked ? .idle : .closed }

    /// The record of the close is left to the ``EditRecorder``.
    ///
    /// - Returns: The close's number.
    mutating func waits(_ record: EditRecord, at now: Timestamp) -> Int {
        phase = .waiting(record)
        closedSince = closedSince ?? now
        if record.isWritten { hasNotedEdit = true }
        waitCount += 1
        return waitCount
    }

    /// Programs set attributes that can wait for the record of the close.
    ///
    /// - Parameter blob: The blob's status since; needed only for a waiting close.
    mutating func keeps(_ attributes: UnrecordedAttributes, _ blob: BlobStatus?) {
        self.attributes = attributes
        guard case .waiting(var record) = phase else { return }
        (record.attributes, record.blob) = (attributes, blob)
        phase = .waiting(record)
    }

    // MARK: Recording

    /// Whether ``record(_:endsWriting:)`` depends on the blob's status.
    var needsStatus: Bool { baseline != nil || attributes != nil }

    /// Returns the record of everything missing from the row.
    ///
    /// - Parameter blob: The blob's current status; nil if it is not needed, or while bytes are missing.
    func record(_ blob: BlobStatus?, endsWriting: Bool) -> EditRecord {
        guard let blob, !isUnlinked else { return EditRecord(endsWriting: endsWriting) }
        let isWritten = baseline.map { !blob.hasSameContent(as: $0) } ?? false
        return EditRecord(
            blob: blob, isWritten: isWritten, attributes: attributes, overwriting: isWritten ? overwriting : nil,
            endsWriting: endsWriting)
    }

    /// A transaction with this record was committed.
    mutating func recorded(_ record: EditRecord) {
        if record.attributes != nil { attributes = nil }
        if record.isWritten {
            (baseline, hasNotedEdit) = (record.blob, true)
            emptied()
        }
        if record.endsWriting { (phase, closedSince) = (.idle, nil) }
    }

    /// The row is gone.
    mutating func unlinked() {
        isUnlinked = true
        if phase == .closed { phase = .idle }
    }
}
