import Logging
import ServerStorage
import ServiceLifecycle

/// Collects chunks periodically in the background.
struct CollectionService: Service {
    let store: ServerStore
    let policy: CollectionPolicy
    let metrics: ServerMetrics
    let log: Logger
    /// The delay before the first collection. It is short enough that a server that restarts often still collects, and long enough that a
    /// server that has just started can do more urgent work first.
    var first: Duration = .seconds(600)
    var interval: Duration = .seconds(86_400)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var pause = first
            while !Task.isCancelled {
                // Only cancellation ends the sleep early; the loop then ends too.
                try? await Task.sleep(for: pause)
                guard !Task.isCancelled else { return }
                await collect()
                pause = interval
            }
        }
    }

    private func collect() async {
        do {
            let report = try await store.collect(policy)
            guard !report.isElsewhere else {
                log.debug("another process collects chunks; this one leaves it to that")
                return
            }
            metrics.collected(report.chunks, report.bytes)
            log.notice(
                "collected unneeded chunks",
                metadata: [
                    "chunks": "\(report.chunks)", "bytes": "\(report.bytes)", "strays": "\(report.strayFiles)",
                    "containers": "\(report.containers)", "skipped": "\(report.skipped.count)",
                ])
        } catch is CancellationError {
            log.debug("a collection was interrupted; the next one continues it")
        } catch { log.error("chunks could not be collected", metadata: ["error": "\(error)"]) }
    }
}
