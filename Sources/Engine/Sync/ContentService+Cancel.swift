import LocalContent
package import LocalMetadata
import Logging
import Synchronization

/// Ends requested downloads before all their bytes have arrived.
///
/// A program with the file open keeps reading: only the request ends. Bytes that have arrived are kept as part of the
/// file.
extension ContentService {
    /// Ends the requests to download an item, or everything below it.
    ///
    /// - Parameter priority: The highest priority to end: removing a pin does not end a person's request.
    /// - Returns: The number of ended requests, without those that only waited for space.
    package func cancel(_ item: LocalItem, upTo priority: UInt8 = DownloadPriority.endable) throws -> Int {
        // No longer wanted: can be evicted.
        let ended = try context.metadata.write(.freeing) { try $0.transfers.unwant(item, upTo: priority) }
        for file in ended { running.withLock { $0[file.node] }?.cancel() }
        noteArrival()
        return ended.count { $0.wanted > DownloadPriority.whenSpace }
    }

    /// Ends the requests as ``cancel(_:upTo:)``, and returns once these downloads no longer write anything, except for
    /// programs with the files open.
    package func cancelAndWait(_ item: LocalItem) async throws -> Int {
        let count = try await context.blocking { [self] in try cancel(item) }
        let tasks = running.withLock { Array($0.values) }
        for task in tasks where task.isCancelled { _ = await task.result }
        for task in endings.withLock({ Array($0.values) }) { await task.value }
        return count
    }

    /// Fetches the content for the queue, until ``cancel(_:upTo:)``. Returns false if ended by it.
    func fetchUnlessCancelled(_ item: LocalItem) async throws -> Bool {
        let task = Task { try await self.fetch(item) }
        running.withLock { $0[item.node] = task }
        defer { running.withLock { $0[item.node] = nil } }
        do {
            // A request may have ended before the task was in the table.
            try await withTaskCancellationHandler {
                let isWanted = try await context.blocking { [context] in
                    try context.metadata.read { try $0.local.item(item.node)?.wanted ?? 0 > 0 }
                }
                if !isWanted { task.cancel() }
                try await task.value
            } onCancel: {
                task.cancel()
            }
            return true
        } catch is CancellationError {
            try Task.checkCancellation()
            return false
        }
    }

    /// Records the local bytes of a download without readers; ``cancelAndWait(_:)`` waits for this.
    func endKeepingPart(_ entry: ActiveDownload) {
        let blob = entry.item.blob
        endings.withLock { endings in
            endings[blob] = Task {
                await keepPart(entry)
                self.endings.withLock { _ = $0.removeValue(forKey: blob) }
            }
        }
    }
}
