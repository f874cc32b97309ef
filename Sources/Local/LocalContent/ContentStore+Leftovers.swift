package import Basics
import Synchronization

/// The names given to blobs by this process, while leftovers of earlier processes are being removed.
///
/// An uncommitted row leaves its blob behind, and its number is reused for a different document, whose blob then has
/// the name of a leftover that the sweep may be about to remove.
final class GivenNames: Sendable {
    /// Nil once the sweep has ended.
    private let names: Mutex<Set<BlobName>?> = Mutex([])

    /// Notes a name before the file system has it.
    func insert(_ name: BlobName) { names.withLock { _ = $0?.insert(name) } }

    func end() { names.withLock { $0 = nil } }

    func restart() { names.withLock { $0 = [] } }

    /// Runs `body` unless this process gave the name; it gives no name until `body` returns. Returns whether it ran.
    func unlessGiven(_ name: BlobName, _ body: () throws(Errno) -> Void) throws(Errno) -> Bool {
        try names.withLock { names throws(Errno) in
            guard let names, !names.contains(name) else { return false }
            try body()
            return true
        }
    }
}

extension ContentStore {
    /// Removes a blob of an earlier process, unless this process has created one of that name or the removal of
    /// leftovers has ended.
    ///
    /// - Returns: Whether it was removed.
    package func removeLeftover(_ blob: BlobName) throws(Errno) -> Bool {
        try given.unlessGiven(blob) { () throws(Errno) in try remove(blob) }
    }

    /// Ends the removal of leftovers. Until then the names of all created blobs stay in memory.
    package func endSweep() { given.end() }

    /// Counts all blobs as those of an earlier process, for a simulated process that continues with this store.
    package func noteNewProcess() { given.restart() }
}
