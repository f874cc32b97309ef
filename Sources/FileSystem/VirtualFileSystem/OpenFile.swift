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
        /// The row when the file was opened, kept up to date by the operations that come through here.
        var item: LocalItem?
        var blob: BlobName?
        /// The blob, open for reading and writing; nil before the first open got that far.
        var bytes: SharedDescriptor?
        /// The number of ``bytes``, or -1.
        var descriptor: Int32 { bytes?.raw ?? -1 }
        var handles = 0
        var writers = 0
        /// The blob when writing began: as long as it has the same content, nothing was written.
        var baseline: BlobStatus?
        /// Since writing began, something was found written that the row did not know.
        var hasNotedEdit = false
        /// The last writer closed it, and its row does not know yet.
        var isUnfinished = false
        /// The name is gone; the bytes go with the last handle.
        var isUnlinked = false
        /// The blob's name was made in this session and may not be durable.
        var needsNameSync = false
        /// Fetches what is not here. Nil once everything is.
        var download: ContentDownload?
        /// The row that the download was opened for, until it is closed.
        var incomplete: LocalItem?
    }

    init(node: NodeID) { self.node = node }

    /// The blob's descriptor, open for reading and writing as long as a handle of the file is open; -1 before it is.
    package var descriptor: Int32 { state.withLock { $0.descriptor } }

    package var isOpenForWriting: Bool { state.withLock { $0.writers > 0 } }

    /// Whether all bytes are here.
    package var isWhole: Bool { state.withLock { $0.download == nil } }
}
