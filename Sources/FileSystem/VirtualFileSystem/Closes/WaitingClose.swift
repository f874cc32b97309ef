import Basics
import LocalContent
import Synchronization

/// The close of a file's last writer, until the file's row is no longer marked as being written. It holds a claim of
/// the file.
///
/// The row says `isWriting` meanwhile, so readers of rows still see an open file, and a start after a crash finds the
/// edit.
final class WaitingClose: Sendable {
    /// The close's progress.
    enum Stage: UInt8, AtomicRepresentable {
        case waiting
        /// Its transaction has failed.
        case waitingAgain
        /// An unfinished write transaction is recording it.
        case taken
        case recorded
        /// A different operation on the file records it, or continues writing.
        case withdrawn
    }

    let file: OpenFile
    let record: EditRecord
    /// The time of the earliest close included in this close.
    let since: Timestamp
    private let stage = Atomic<Stage>(.waiting)

    init(of file: OpenFile, _ record: EditRecord, since: Timestamp) {
        self.file = file
        self.record = record
        self.since = since
    }

    /// Whether the file's row does not record the close yet.
    var isPending: Bool { [.waiting, .waitingAgain, .taken].contains(stage.load(ordering: .sequentiallyConsistent)) }

    /// Has to be called within the write transaction that records the close, so later transactions find the stage
    /// decided.
    ///
    /// - Returns: Whether that transaction is to record it.
    func take() -> Bool { move(from: .waiting, to: .taken) || move(from: .waitingAgain, to: .taken) }

    /// The transaction of ``take()`` was committed, or has failed.
    func end(isCommitted: Bool) { _ = move(from: .taken, to: isCommitted ? .recorded : .waitingAgain) }

    /// Takes the close back from future transactions. A transaction already recording it may still do so.
    ///
    /// - Returns: The stage before.
    func withdraw() -> Stage { stage.exchange(.withdrawn, ordering: .sequentiallyConsistent) }

    /// Takes the close back to replace it, unless a transaction is recording it.
    func withdrawWaiting() -> Bool { move(from: .waiting, to: .withdrawn) || move(from: .waitingAgain, to: .withdrawn) }

    private func move(from old: Stage, to new: Stage) -> Bool {
        stage.compareExchange(expected: old, desired: new, ordering: .sequentiallyConsistent).exchanged
    }
}
