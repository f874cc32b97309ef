import CloudModel
import Synchronization

/// The contents for which a reader recently waited in vain. The kernel passes on one request for a page, or for a
/// change of a file, at a time, so requests queued behind it arrive only after it failed. They fail as it did, instead
/// of each waiting for as long again.
///
/// Not part of a ``ContentDownload``, which ends with its last reader.
package final class Silences: Sendable {
    private struct Entry {
        let at: Duration
        let error: TransferError
    }

    /// The maximum number of contents remembered; beyond it the oldest are forgotten and their readers wait once more.
    private static let limit = 1_024

    private let elapsed: @Sendable () -> Duration
    private let grace: Duration
    private let entries = Mutex<[Digest: Entry]>([:])

    /// - Parameter grace: How long after a reader gave up further readers fail with it.
    package init(_ clock: any Clock<Duration>, grace: Duration) {
        elapsed = TransferTimers.stopwatch(clock)
        self.grace = grace
    }

    /// Notes that a reader of the content waited until its patience ended.
    func note(_ digest: Digest, _ error: TransferError) {
        let now = elapsed()
        entries.withLock { entries in
            if entries.count >= Self.limit { entries = entries.filter { now - $0.value.at < grace } }
            if entries.count >= Self.limit { entries = [:] }
            entries[digest] = Entry(at: now, error: error)
        }
    }

    /// Notes that bytes of the content arrived.
    func end(_ digest: Digest) { entries.withLock { _ = $0.removeValue(forKey: digest) } }

    /// Forgets all contents, as the cloud is reported to be back: readers wait for bytes again.
    package func endAll() { entries.withLock { $0.removeAll() } }

    /// Returns why a reader of the content would wait in vain now; nil if unknown.
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
