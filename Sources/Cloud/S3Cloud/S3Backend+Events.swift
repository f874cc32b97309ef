import Basics
package import CloudStorage
import Logging
import S3Client
import Synchronization

extension S3Backend {
    package func events() -> AsyncStream<CloudEvent> {
        let watcher = BellWatcher(self)
        return AsyncStream {
            await watcher.mailbox.next()
        } onCancel: {
            watcher.end()
        }
    }

    /// Replaces the bell, so that remote devices check the logs, and wakes this device's own listeners. An error is
    /// ignored, because devices also check the logs from time to time.
    func ring() {
        for wake in state.withLock({ Array($0.listeners.values) }) { wake() }
        background.run("bell") { [weak self] in
            guard let self else { return }
            var random = SystemRandomNumberGenerator()
            let bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
            do { try await self.client.put(self.layout.bell, bytes) } catch {
                self.logger.info("the bell was not rung", metadata: ["why": "\(error)"])
            }
        }
    }

    /// - Parameter wake: Called when this instance changes anything.
    /// - Returns: The number to pass to ``removeListener(_:)``.
    func addListener(_ wake: @escaping @Sendable () -> Void) -> UInt64 {
        state.withLock { state in
            state.nextListener += 1
            state.listeners[state.nextListener] = wake
            return state.nextListener
        }
    }

    func removeListener(_ number: UInt64) { state.withLock { $0.listeners[number] = nil } }
}
