import Basics
import CloudModel
import Glibc
import LocalContent
package import LocalMetadata
import Synchronization
import Transfers

/// A file that at least one handle has open. All handles of a node share it, its descriptor and its download.
package final class OpenFile: Sendable {
    package let node: NodeID
    let state = Mutex(State())

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
        /// The status of the blob when writing began: while it is unchanged, nothing was written.
        var baseline: BlobStatus?
        /// Whether an edit has been recorded since writing began.
        var hasNotedEdit = false
        /// What programs had last seen in the place of the document when a handle was opened that cannot read it.
        var unread: SeenContent?
        /// The same, once such a handle has emptied the document, until that edit is recorded.
        var overwriting: SeenContent?
        /// Attributes that programs have set and the row does not have; the blob has them too.
        var unrecorded: UnrecordedAttributes?
        /// Whether the last writer has closed the file and its row does not say so yet.
        var isUnfinished = false
        /// The close of the last writer that waits to be recorded.
        var waitingClose: WaitingClose?
        /// When the first close was made that no transaction has recorded because the file was opened for writing again.
        var unrecordedSince: Timestamp?
        /// Whether the name is gone; the bytes are then removed with the last handle.
        var isUnlinked = false
        /// The download that fetches missing bytes. Nil once everything is here.
        var download: ContentDownload?
        /// The row that the download was opened for, until the download is closed.
        var incomplete: LocalItem?
    }

    init(node: NodeID) { self.node = node }

    /// The blob's descriptor, open for reading and writing while a handle of the file is open; -1 before.
    package var descriptor: Int32 { state.withLock { $0.descriptor } }

    package var isOpenForWriting: Bool { state.withLock { $0.writers > 0 } }

    /// Whether all bytes are here.
    package var isWhole: Bool { state.withLock { $0.download == nil } }
}
