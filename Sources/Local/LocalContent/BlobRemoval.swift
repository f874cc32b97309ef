import Basics
package import LocalMetadata
package import Logging
import Synchronization

/// Takes away blobs that no row names any more, once the commit that says so survives a loss of power: a disk keeps no order between
/// the two, and a row that came back without its bytes would be a lost document.
///
/// One sync of the database is enough for many blobs, so they are gathered. ``flush()`` is called now and then and where a sync has
/// just been made; what a dying process leaves the sweep takes.
package final class BlobRemoval: Sendable {
    /// How many blobs, and how much of the disk, may wait.
    private static let most = 256
    private static let mostBytes: UInt64 = 1 << 20

    private struct Waiting {
        var blobs: [BlobName] = []
        var bytes: UInt64 = 0
    }

    private let content: ContentStore
    private let metadata: MetadataDatabase
    private let log: Logger
    private let waiting = Mutex(Waiting())

    package init(_ content: ContentStore, _ metadata: MetadataDatabase, log: Logger) {
        self.content = content
        self.metadata = metadata
        self.log = log
    }

    /// Has a blob taken away whose last row was committed as gone or as another content's.
    package func remove(_ blob: BlobName) {
        // Without a size it waits with the others; removing it says what is wrong.
        let size = (try? content.status(blob)).map { $0.blocks * 512 } ?? 0
        let isMuch = waiting.withLock { waiting in
            waiting.blobs.append(blob)
            waiting.bytes = waiting.bytes.saturatingSum(size)
            return waiting.blobs.count >= Self.most || waiting.bytes >= Self.mostBytes
        }
        if isMuch { flush() }
    }

    /// Takes away what waits.
    package func flush() {
        let blobs = waiting.withLock { waiting in
            defer { waiting = Waiting() }
            return waiting.blobs
        }
        guard !blobs.isEmpty else { return }
        do { try metadata.makeDurable() } catch {
            log.warning("blobs stay for the sweep", metadata: ["count": "\(blobs.count)", "error": "\(error)"])
            return
        }
        for blob in blobs {
            do { try content.remove(blob) } catch {
                log.warning(
                    "could not remove a blob; the sweep will", metadata: ["blob": "\(blob)", "error": "\(error)"])
            }
        }
    }
}
