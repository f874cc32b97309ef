package import DaemonProtocol
package import LocalMetadata
import Sync

/// A monitor's events, delivered individually, as fast as it reads.
package final class MonitorFeed: Sendable {
    private let service: QueryService
    private let connection: UInt64
    private let clock: any Clock<Duration>
    private let bell = Wakeup()
    private let id: UInt64

    /// - Parameters:
    ///   - connection: The client's connection, with a slot reserved by ``QueryService/enter(_:)``.
    ///   - last: The highest number of any item.
    package init(_ service: QueryService, connection: UInt64, after last: NodeID, _ clock: any Clock<Duration>) {
        self.service = service
        self.connection = connection
        self.clock = clock
        id = service.monitors.add(bell, after: last)
        service.activate()
    }

    deinit {
        service.monitors.remove(id)
        service.leave(connection)
        service.activate()
    }

    /// Returns the next event; nil when the task was cancelled.
    package func next() async -> DaemonEvent? {
        while !Task.isCancelled {
            if let happening = service.monitors.take(id) { return .happened(happening) }
            await bell.wait(atMost: .seconds(60), clock: clock)
        }
        return nil
    }
}
