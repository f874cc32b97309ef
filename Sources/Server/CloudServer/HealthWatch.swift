import CloudProtocol
import Logging
import ServerStorage
import ServiceLifecycle
import Synchronization

/// Checks every few seconds whether database and disk still accept writes. `/health` returns the last check, so a
/// request costs nothing, and a hanging disk is reported as such instead of holding up the response.
final class HealthWatch: Service {
    private struct Look {
        var at: ContinuousClock.Instant
        var failure: CloudFailure?
        var setBack: SetBack?
    }

    private let store: ServerStore
    private let log: Logger
    private let interval: Duration
    private let last = Mutex<Look?>(nil)

    init(_ store: ServerStore, log: Logger, interval: Duration = .seconds(5)) {
        self.store = store
        self.log = log
        self.interval = interval
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await self.look()
                // Only cancellation ends the sleep early; the loop then ends too.
                try? await Task.sleep(for: self.interval)
            }
        }
    }

    func look() async {
        var failure: CloudFailure?
        var setBack = setBack
        do { setBack = try await store.checkHealth() } catch {
            failure = Refusals.failure(of: error)
            log.error("the server is unhealthy", metadata: ["error": "\(error)"])
        }
        last.withLock { [setBack] in $0 = Look(at: .now, failure: failure, setBack: setBack) }
    }

    /// Whether the server's data went back to an earlier state, as of the last successful check; nil before the first.
    var setBack: SetBack? { last.withLock { $0?.setBack } }

    var isWell: Bool { failure == nil }

    /// Why the server cannot store anything now; nil if it can.
    var failure: CloudFailure? {
        guard let look = last.withLock({ $0 }) else { return nil }
        guard ContinuousClock.now - look.at < interval * 6 else {
            return CloudFailure(.failed, "The server's disk does not respond.")
        }
        return look.failure
    }
}
