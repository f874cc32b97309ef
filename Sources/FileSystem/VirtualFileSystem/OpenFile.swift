import Basics
import CloudModel
import Glibc
package import LocalContent
package import LocalMetadata
package import Synchronization
package import Transfers

/// A file that at least one handle has open. All handles of a node share it, its descriptor and its download.
package final class OpenFile: Sendable {
    package let node: NodeID
    package let state = Mutex(State())

    package struct State: ~Copyable {
        /// The row when the file was opened, kept up to date by the operations that come through here.
        package var item: LocalItem?
        package var blob: BlobName?
        /// The blob, open for reading and writing; nil before the first open got that far.
        package var bytes: SharedDescriptor?
        /// The number of ``bytes``, or -1.
        package var descriptor: Int32 { bytes?.raw ?? -1 }
        package var handles = 0
        package var writers = 0
        /// The blob when writing began: as long as it has the same content, nothing was written.
        package var baseline: BlobStatus?
        /// Since writing began, something was found written that the row did not know.
        var hasNotedEdit = false
        /// The last writer closed it, and its row does not know yet.
        var isUnfinished = false
        /// The name is gone; the bytes go with the last handle.
        package var isUnlinked = false
        /// The blob's name was made in this session and may not be durable.
        package var needsNameSync = false
        /// Fetches what is not here. Nil once everything is.
        package var download: ContentDownload?
        /// The row that the download was opened for, until it is closed.
        var incomplete: LocalItem?
    }

    init(node: NodeID) { self.node = node }

    package var isOpenForWriting: Bool { state.withLock { $0.writers > 0 } }

    /// Whether all bytes are here.
    package var isWhole: Bool { state.withLock { $0.download == nil } }
}
