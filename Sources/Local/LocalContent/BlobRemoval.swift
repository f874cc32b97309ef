import Basics
package import LocalMetadata
package import Logging
import Synchronization

/// Removes unreferenced blobs, once the commit that removed the reference survives a power failure: a disk keeps no
/// order between the two, and a row that reappeared without its bytes would be a lost document.
///
/// One sync of the database is enough for many blobs, so they are gathered. ``flush()`` is called from time to time and
/// after other syncs; the sweep removes leftovers of dying processes.
package final class BlobRemoval: Sendable {
    /// The thresholds for removing pending blobs: their number, and their bytes on the disk.
    private static let many = 256
    private static let manyBytes: UInt64 = 1 << 20
    /// This many are removed by the program adding the last blob. That throttles it to the disk's speed, and large
    /// files' space is free when their removal returns.
    private static let most = 1024
    private static let mostBytes: UInt64 = 16 << 20

    private struct Waiting {
        var blobs: [BlobName] = []
        var bytes: UInt64 = 0
        var isScheduled = false
    }

    private enum Action {
        case wait
        case schedule
        case flush
    }

    private let content: ContentStore
    private let metadata: MetadataDatabase
    private let background: Background?
    private let log: Logger
    private let waiting = Mutex(Waiting())
    /// Held while blobs are removed, so that ``flush()`` returns when all blobs added earlier are gone.
    private let flushing = Mutex(())

    /// - Parameter background: Where many blobs are removed; nil: by the call adding the last blob.
    package init(
        _ content: ContentStore, _ metadata: MetadataDatabase, background: Background? = nil, log: Logger
    ) {
        self.content = content
        self.metadata = metadata
        self.background = background
        self.log = log
    }

    /// Queues a blob for removal after its last row was committed as removed or with different content.
    package func remove(_ blob: BlobName) {
        // If the status cannot be read, the blob waits with the rest; its removal reports the error.
        let size = (try? content.status(blob)).map { $0.blocks * 512 } ?? 0
        let action = waiting.withLock { waiting -> Action in
            waiting.blobs.append(blob)
            waiting.bytes = waiting.bytes.saturatingSum(size)
            guard waiting.blobs.count >= Self.many || waiting.bytes >= Self.manyBytes else { return .wait }
            guard background != nil, waiting.blobs.count < Self.most, waiting.bytes < Self.mostBytes else {
                return .flush
            }
            guard !waiting.isScheduled else { return .wait }
            waiting.isScheduled = true
            return .schedule
        }
        switch action {
        case .wait: break
        case .schedule: background? { [self] in flush() }
        case .flush: flush()
        }
    }

    /// Removes the waiting blobs.
    package func flush() {
        flushing.withLock { _ in
            let blobs = waiting.withLock { waiting in
                defer { waiting = Waiting() }
                return waiting.blobs
            }
            if !blobs.isEmpty { remove(blobs) }
        }
    }

    private func remove(_ blobs: [BlobName]) {
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
