import Basics
package import LocalMetadata
package import Logging
import Synchronization

/// Removes blobs that no row names any more, once the commit that says so survives a power failure: a disk keeps no order between the two,
/// and a row that reappeared without its bytes would be a lost document.
///
/// One sync of the database is enough for many blobs, so they are gathered. ``flush()`` is called from time to time and where a sync has
/// just been made; the sweep removes what a dying process leaves.
package final class BlobRemoval: Sendable {
    /// The upper bounds for the number of waiting blobs and for their space on the disk.
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

    /// Queues a blob for removal after its last row was committed as removed or as having another content.
    package func remove(_ blob: BlobName) {
        // If the status cannot be read, the blob waits with the others; its removal reports the error.
        let size = (try? content.status(blob)).map { $0.blocks * 512 } ?? 0
        let isMuch = waiting.withLock { waiting in
            waiting.blobs.append(blob)
            waiting.bytes = waiting.bytes.saturatingSum(size)
            return waiting.blobs.count >= Self.most || waiting.bytes >= Self.mostBytes
        }
        if isMuch { flush() }
    }

    /// Removes the waiting blobs.
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
                    "could not remove a blob; the next sweep will", metadata: ["blob": "\(blob)", "error": "\(error)"])
            }
        }
    }
}
