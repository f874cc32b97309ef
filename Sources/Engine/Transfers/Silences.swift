import CloudModel
import Synchronization

/// The contents of which a reader waited in vain, for a moment: the kernel passes on one request for a page, or for a change of a file, at a
/// time, so those that waited behind it come only now. They fail as it did, instead of waiting once more each.
///
/// Not part of a ``ContentDownload``, which ends with its last reader.
package final class Silences: Sendable {
    private struct Entry {
        let at: Duration
        let error: TransferError
    }

    /// Contents that are kept in mind; with more, the oldest are forgotten and their readers wait once more.
    private static let limit = 1_024

    private let elapsed: @Sendable () -> Duration
    private let grace: Duration
    private let entries = Mutex<[Digest: Entry]>([:])

    /// - Parameter grace: How long after a reader gave up others end with it.
    package init(_ clock: any Clock<Duration>, grace: Duration) {
        elapsed = ContentDownload.stopwatch(clock)
        self.grace = grace
    }

    /// A reader of the content waited for as long as its patience lasts.
    func note(_ digest: Digest, _ error: TransferError) {
        let now = elapsed()
        entries.withLock { entries in
            if entries.count >= Self.limit { entries = entries.filter { now - $0.value.at < grace } }
            if entries.count >= Self.limit { entries = [:] }
            entries[digest] = Entry(at: now, error: error)
        }
    }

    /// Bytes of the content came.
    func end(_ digest: Digest) { entries.withLock { _ = $0.removeValue(forKey: digest) } }

    /// The cloud is said to be back: a reader waits for the bytes again.
    package func endAll() { entries.withLock { $0.removeAll() } }

    /// Why a reader of the content would wait in vain now; nil if that is not known.
    func failure(_ digest: Digest) -> TransferError? {
        let now = elapsed()
        return entries.withLock { entries in
            guard let entry = entries[digest] else { return nil }
            guard now - entry.at < grace else {
                entries[digest] = nil
                return nil
            }
            return entry.error
        }
    }
}
