import Basics
import LocalContent
import Synchronization

/// The close of a file's last writer, until the file's row says that nothing writes it any more. It holds a claim of the file.
///
/// The row says `isWriting` meanwhile, so to everything that reads rows the file is still open, and a start after a crash finds the edit.
final class WaitingClose: Sendable {
    /// What has become of it.
    enum Stage: UInt8, AtomicRepresentable {
        case waiting
        /// A transaction that was to record it has failed.
        case waitingAgain
        /// A write transaction that has not ended is recording it.
        case taken
        case recorded
        /// Another operation on the file records it, or goes on writing.
        case withdrawn
    }

    let file: OpenFile
    /// The status of the blob at the close; nil if nothing was written since writing began.
    let written: BlobStatus?
    /// Attributes that were set before the close, and the status of the blob that tells whether it was written since.
    let attributes: (UnrecordedAttributes, BlobStatus)?
    /// What programs had last seen in the place of a document that was emptied.
    let overwriting: SeenContent?
    /// When the first close was made that this one includes.
    let since: Timestamp
    private let stage = Atomic<Stage>(.waiting)

    init(
        of file: OpenFile, written: BlobStatus?, attributes: (UnrecordedAttributes, BlobStatus)?,
        overwriting: SeenContent?, since: Timestamp
    ) {
        self.file = file
        self.written = written
        self.attributes = attributes
        self.overwriting = overwriting
        self.since = since
    }

    /// Whether the row does not say yet that the file was closed.
    var isPending: Bool { [.waiting, .waitingAgain, .taken].contains(stage.load(ordering: .sequentiallyConsistent)) }

    /// Has to be called within the write transaction that records the close, so that later transactions find the stage decided.
    ///
    /// - Returns: Whether that transaction is to record it.
    func take() -> Bool { move(from: .waiting, to: .taken) || move(from: .waitingAgain, to: .taken) }

    /// The transaction that took it was committed, or has failed.
    func end(isCommitted: Bool) { _ = move(from: .taken, to: isCommitted ? .recorded : .waitingAgain) }

    /// Takes the close back from the transactions that come. One that has taken it may still record it.
    ///
    /// - Returns: The stage before.
    func withdraw() -> Stage { stage.exchange(.withdrawn, ordering: .sequentiallyConsistent) }

    /// Takes the close back, unless a transaction has taken it: another one takes its place.
    func withdrawWaiting() -> Bool { move(from: .waiting, to: .withdrawn) || move(from: .waitingAgain, to: .withdrawn) }

    private func move(from old: Stage, to new: Stage) -> Bool {
        stage.compareExchange(expected: old, desired: new, ordering: .sequentiallyConsistent).exchanged
    }
}
