import CloudModel
import Logging
import ServerStorage
import ServiceLifecycle

/// Collects chunks periodically in the background: chunks of abandoned uploads within the hour, purged content
/// immediately.
struct CollectionService: Service {
    let store: ServerStore
    let policy: CollectionPolicy
    let metrics: ServerMetrics
    let log: Logger
    /// The delay before the first collection: short enough for a frequently restarting server to collect at all, and
    /// long enough for more urgent work after a start.
    var first: Duration = .seconds(600)
    var interval: Duration = .seconds(86_400)

    /// The pause before retrying a request that failed or had to wait for another collection.
    private static let retry = Duration.seconds(2)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await collectPeriodically() }
                group.addTask { await collectUnfinished() }
                group.addTask { await collectRequested() }
            }
        }
    }

    private func collectPeriodically() async {
        var pause = first
        while !Task.isCancelled {
            // Only cancellation ends the sleep early; the loop then ends too.
            try? await Task.sleep(for: pause)
            guard !Task.isCancelled else { return }
            pause = interval
            _ = await note { try await store.collect(policy) }
        }
    }

    private func collectUnfinished() async {
        while !Task.isCancelled {
            // Only cancellation ends the sleep early; the loop then ends too.
            try? await Task.sleep(for: UploadGrace.look)
            guard !Task.isCancelled else { return }
            _ = await note(isRoutine: true) { try await store.collectUnfinished(policy) }
        }
    }

    private func collectRequested() async {
        for await _ in store.requests.rings {
            guard await !note({ try await store.collectRequested(policy) }) else { continue }
            // Only cancellation ends the sleep early, and with it the loop.
            try? await Task.sleep(for: Self.retry)
        }
    }

    /// - Parameter isRoutine: Whether a collection that found nothing is left out of the log.
    /// - Returns: Whether it was done.
    private func note(isRoutine: Bool = false, _ collect: () async throws -> CollectionReport) async -> Bool {
        do {
            let report = try await collect()
            guard !report.isElsewhere else {
                log.debug("another process collects chunks; this one leaves it to that")
                return false
            }
            metrics.collected(report.chunks, report.bytes)
            log.log(
                level: isRoutine && report.chunks == 0 ? .debug : .notice, "collected unneeded chunks",
                metadata: [
                    "chunks": "\(report.chunks)", "bytes": "\(report.bytes)", "strays": "\(report.strayFiles)",
                    "containers": "\(report.containers)", "skipped": "\(report.skipped.count)",
                ])
            return !report.gaveWay
        } catch is CancellationError {
            log.debug("a collection was interrupted; the next one continues it")
        } catch { log.error("chunks could not be collected", metadata: ["error": "\(error)"]) }
        return false
    }
}
