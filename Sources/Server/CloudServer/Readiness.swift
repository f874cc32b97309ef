import CloudProtocol
import ServiceLifecycle
import Synchronization

/// Whether a load balancer should send requests to this process: while the storage accepts writes and no shutdown has
/// begun.
///
/// As a service it delays a shutdown, so load balancers notice before the process stops accepting connections.
final class Readiness: Service {
    private let health: HealthWatch
    private let drain: Duration
    private let isStopping = Mutex(false)

    /// - Parameter drain: How long the process still accepts connections after a shutdown has begun.
    init(_ health: HealthWatch, drain: Duration) {
        self.health = health
        self.drain = drain
    }

    /// Why no requests should be sent to this process; nil if they should.
    var problem: CloudFailure? {
        if isStopping.withLock({ $0 }) { return CloudFailure(.failed, "The process is shutting down.") }
        return health.failure
    }

    func run() async throws {
        // Cancellation ends the server without a drain.
        guard (try? await gracefulShutdown()) != nil else { return }
        isStopping.withLock { $0 = true }
        try? await Task.sleep(for: drain)
    }
}
