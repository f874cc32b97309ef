import Basics
package import LocalMetadata
package import Logging
import Synchronization

import struct Foundation.Data
import class Foundation.JSONDecoder
import class Foundation.JSONEncoder

/// The ``DownloadStatistics`` of a device: counts in memory, and stores changed days from time to time. A crash loses
/// the counts since the last time.
package final class DownloadFigures: Sendable {
    private let metadata: MetadataDatabase
    private let today: @Sendable () -> Int64
    private let statistics: Mutex<DownloadStatistics>

    /// - Parameter today: Returns the number of the day since 1970 in the device's time zone.
    package init(_ metadata: MetadataDatabase, log: Logger, today: @escaping @Sendable () -> Int64) {
        self.metadata = metadata
        self.today = today
        do {
            let stored = try metadata.read { transaction in
                try (0..<DownloadStatistics.maximumDays).compactMap { try transaction.setting(Self.key($0)) }
            }
            statistics = Mutex(
                DownloadStatistics(try stored.map { try JSONDecoder().decode(DownloadStatistics.Day.self, from: $0) }))
        } catch {
            log.warning("figures of downloads cannot be read and begin again", metadata: ["error": "\(error)"])
            statistics = Mutex(DownloadStatistics())
        }
    }

    private static func key(_ place: Int) -> String { "downloads.\(place)" }

    package func add(_ amount: DownloadStatistics.Amount, for cause: DownloadCause) {
        let today = today()
        statistics.withLock { $0.add(amount, for: cause, on: today) }
    }

    /// Returns a function to be called with the size of each arriving piece of a document.
    package func counter(for cause: DownloadCause) -> @Sendable (Int) -> Void {
        let isFirst = FirstTime()
        return { [self] bytes in
            let documents: UInt64 = isFirst.take() ? 1 : 0
            add(DownloadStatistics.Amount(documents: documents, bytes: UInt64(clamping: bytes)), for: cause)
        }
    }

    /// Stores the changes since the last time.
    package func save() throws {
        let days = statistics.withLock { $0.takeChanged() }
        guard !days.isEmpty else { return }
        do {
            let coded = try days.map { day in
                (Self.key(DownloadStatistics.place(of: day.number)), try JSONEncoder().encode(day))
            }
            try metadata.write { transaction in
                for (key, bytes) in coded { try transaction.setSetting(key, bytes) }
            }
        } catch {
            statistics.withLock { $0.putBack(days) }
            throw error
        }
    }

    /// Returns the last days with downloads, the latest first.
    package func days(_ count: Int) -> [DownloadStatistics.Day] {
        let today = today()
        return statistics.withLock { $0.days(count, until: today) }
    }

    /// Is true once.
    private final class FirstTime: Sendable {
        private let isTaken = Atomic(false)
        func take() -> Bool { !isTaken.exchange(true, ordering: .relaxed) }
    }
}
