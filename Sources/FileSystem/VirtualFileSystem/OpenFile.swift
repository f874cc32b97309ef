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
        /// The blob when writing began: as long as it has the same content, nobody wrote.
        package var baseline: BlobStatus?
        /// Since writing began, something was found written that the row did not know.
        var hasNotedEdit = false
        /// The last writer closed it, and its row does not know yet.
        var isUnfinished = false
        /// The name is gone; the bytes go with the last handle.
        package var isUnlinked = false
        /// The blob's name was made in this session and may not be on the platter.
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

/// What `open(2)` gave a program.
package final class OpenHandle: Sendable {
    package let file: OpenFile
    package let canWrite: Bool
    /// The kernel writes through it by itself.
    package let isWrittenByKernel = Atomic(false)

    init(file: OpenFile, canWrite: Bool) {
        self.file = file
        self.canWrite = canWrite
    }
}

/// The open files by node. A file is entered before its row is read, so that whoever removes the row sees it.
package final class OpenFiles: Sendable {
    private let table = Mutex<[NodeID: Entry]>([:])

    private struct Entry {
        let file: OpenFile
        var claims: Int
    }

    package init() {}

    /// The file of a node, made if nobody has it open; every claim needs one ``release(_:)``.
    func claim(_ node: NodeID) -> OpenFile {
        table.withLock { table in
            if let entry = table[node] {
                table[node]?.claims += 1
                return entry.file
            }
            let file = OpenFile(node: node)
            table[node] = Entry(file: file, claims: 1)
            return file
        }
    }

    /// Gives a claim back. True for the last one: the caller then closes what the file holds.
    func release(_ file: OpenFile) -> Bool {
        table.withLock { table in
            guard var entry = table[file.node], entry.file === file else { return true }
            entry.claims -= 1
            table[file.node] = entry.claims == 0 ? nil : entry
            return entry.claims == 0
        }
    }

    package subscript(node: NodeID) -> OpenFile? { table.withLock { $0[node]?.file } }

    package func isOpen(_ node: NodeID) -> Bool { table.withLock { $0[node] != nil } }

    package var all: [OpenFile] { table.withLock { $0.values.map(\.file) } }
}
