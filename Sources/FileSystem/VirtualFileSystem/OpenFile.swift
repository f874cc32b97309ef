import Basics
import CloudModel
import Glibc
import LocalContent
package import LocalMetadata
import Transfers

/// A file with at least one open handle. All handles of a node share it, its descriptor and its download.
package final class OpenFile: Sendable {
    package let node: NodeID
    let state = RankedMutex(.openFile, State())

    struct State: ~Copyable {
        /// The row when the file was opened, kept up to date by the operations on this file.
        var item: LocalItem?
        var blob: BlobName?
        /// The blob, open for reading and writing; nil until the first open has opened it.
        var bytes: SharedDescriptor?
        /// The number of ``bytes``, or -1.
        var descriptor: Int32 { bytes?.raw ?? -1 }
        var handles = 0
        var writers = 0
        /// The blob's status when writing began: while it is unchanged, nothing was written.
        var baseline: BlobStatus?
        /// Whether an edit has been recorded since writing began.
        var hasNotedEdit = false
        /// The content last seen by programs in place of the document when a handle unable to read it was opened.
        var unread: SeenContent?
        /// The same, once such a handle has emptied the document, until that edit is recorded.
        var overwriting: SeenContent?
        /// Attributes set by programs but missing from the row; the blob has them too.
        var unrecorded: UnrecordedAttributes?
        /// Whether the last writer has closed the file and its row does not say so yet.
        var isUnfinished = false
        /// The last writer's close, waiting to be recorded.
        var waitingClose: WaitingClose?
        /// The time of the earliest close left unrecorded because the file was reopened for writing.
        var unrecordedSince: Timestamp?
        /// Whether the name is gone; the bytes are then removed with the last handle.
        var isUnlinked = false
        /// The download of missing bytes. Nil once everything is local.
        var download: ContentDownload?
        /// The row for which the download was opened, until the download is closed.
        var incomplete: LocalItem?
    }

    init(node: NodeID) { self.node = node }

    /// The blob's descriptor, open for reading and writing while a handle of the file is open; -1 before.
    package var descriptor: Int32 { state.withLock { $0.descriptor } }

    package var isOpenForWriting: Bool { state.withLock { $0.writers > 0 } }

    /// Whether all bytes are local.
    package var isWhole: Bool { state.withLock { $0.download == nil } }
}
