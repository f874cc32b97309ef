import LocalMetadata
import Synchronization

/// Retries failed downloads that belong on this device: newer versions of local files, and pinned files. So a disk that
/// was full, or refused a write, need not be reported to the device a second time.
package final class FailedDownloads: Sendable {
    private let context: EngineContext
    private let pauses = Mutex(RetryPauses())
    private static let most = 256

    package init(_ context: EngineContext) { self.context = context }

    /// Requests failed downloads again if a retry is due. Call it regularly with the time since the last call. Returns whether anything is
    /// wanted again.
    package func look(after elapsed: Duration) throws -> Bool {
        let isDue = pauses.withLock { $0.isDue(after: elapsed) }
        guard isDue else { return false }
        let failed = try context.metadata.read { transaction in
            try transaction.transfers.failedDownloads(limit: Self.most).filter { item in
                try transaction.isStale(item)
                    || !item.isMaterialised
                        && [.keep, .whenSpace].contains(transaction.local.effectivePin(of: item.node))
            }
        }
        pauses.withLock { $0.looked(found: !failed.isEmpty) }
        guard !failed.isEmpty else { return false }
        try context.metadata.write { transaction in
            for item in failed {
                guard let row = try transaction.local.item(item.node), row.downloadError != nil else { continue }
                let isOptional = try !transaction.isStale(row) && !transaction.isKept(row)
                _ = try transaction.transfers.want(
                    row, priority: isOptional ? DownloadPriority.whenSpace : DownloadPriority.kept)
            }
        }
        return true
    }
}

/// When to retry: soon after the first failure, then at growing intervals while failures continue.
package struct RetryPauses: Sendable {
    package static let first = Duration.seconds(5)
    package static let longest = Duration.seconds(320)

    private var pause = first
    private var waited = Duration.zero

    package init() {}

    package mutating func isDue(after elapsed: Duration) -> Bool {
        waited += elapsed
        return waited >= pause
    }

    package mutating func looked(found: Bool) {
        pause = found ? min(pause * 2, Self.longest) : Self.first
        waited = .zero
    }
}
