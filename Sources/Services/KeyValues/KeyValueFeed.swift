package import DaemonProtocol
package import LocalMetadata
import Sync

/// A store's events for a client, produced as fast as the client reads.
package final class KeyValueFeed: Sendable {
    private let service: KeyValueService
    private let clock: any Clock<Duration>
    private let bell = Wakeup()
    private let id: UInt64

    /// - Parameter connection: The number of the client's connection, whose own changes are not among the events.
    package init(
        _ service: KeyValueService, _ container: ContainerID, connection: UInt64, _ clock: any Clock<Duration>
    ) {
        self.service = service
        self.clock = clock
        id = service.add(container, connection: connection, bell)
    }

    deinit { service.remove(id) }

    /// Returns the next event; nil when the task was cancelled.
    package func next() async -> DaemonEvent? {
        while !Task.isCancelled {
            if let event = service.take(id) { return .keyValues(event) }
            await bell.wait(atMost: .seconds(60), clock: clock)
        }
        return nil
    }
}
