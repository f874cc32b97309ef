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
        var handles = 0
        var session = WriteSession()
        /// The row whose bytes were missing when the file was opened, and their download, which is nil once everything
        /// is local.
        var incomplete: (row: LocalItem, download: ContentDownload?)?

        /// The number of ``bytes``, or -1.
        var descriptor: Int32 { bytes?.raw ?? -1 }
        var download: ContentDownload? { incomplete?.download }
    }

    init(node: NodeID) { self.node = node }

    /// The blob's descriptor, open for reading and writing while a handle of the file is open; -1 before.
    package var descriptor: Int32 { state.withLock { $0.descriptor } }

    package var isOpenForWriting: Bool { state.withLock { $0.session.writers > 0 } }

    /// Whether all bytes are local.
    package var isWhole: Bool { state.withLock { $0.download == nil } }
}
