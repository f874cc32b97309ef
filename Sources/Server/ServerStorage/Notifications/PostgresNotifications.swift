import Basics
import Glibc
import NIOPosix
import Synchronization

/// Notifications by PostgreSQL's `NOTIFY` and `LISTEN`, with a connection for each, created on first use.
///
/// A failed connection is dropped; the next call creates a new connection.
final class PostgresNotifications: NotificationChannel {
    /// The channel of all servers of a database. Schemas of a database would share it, at the cost of superfluous
    /// readings.
    private static let channel = "ubiquity_news"
    /// The longest time between two looks at the connection.
    private static let wait = Duration.seconds(15)

    private let address: PostgresAddress
    private let bounds: PostgresBounds
    private let sending = Mutex<PostgresConnection?>(nil)
    /// One thread sends, one receives.
    private let threads = NIOThreadPool(numberOfThreads: 2)
    private let wake: WakeSignal

    /// - Throws: ``StorageError`` if the process has no descriptors left.
    init(_ address: PostgresAddress) throws {
        self.address = address
        var bounds = PostgresBounds()
        // Late notifications are worth less than those of the next moment.
        (bounds.statement, bounds.silence) = (.seconds(5), .seconds(8))
        self.bounds = bounds
        do { wake = try WakeSignal() } catch { throw StorageError.of(error) }
        threads.start()
    }

    func send(_ payloads: [String]) async throws {
        try await threads.runIfActive { [self] in
            try sending.withLock { sending in
                let connection = try sending ?? PostgresConnection(address, bounds: bounds)
                sending = nil
                // Pipelined, so that all share a transaction, and take the database's lock for notifications only once.
                for payload in payloads {
                    try connection.enqueue("SELECT pg_notify($1, $2)", [Self.channel, payload])
                }
                try connection.flush()
                sending = connection
            }
        }
    }

    func receive(onConnect: @Sendable () -> Void, _ body: @Sendable (String) -> Void) async throws {
        let connection = try await threads.runIfActive { [self] in
            let connection = try PostgresConnection(address, bounds: bounds)
            try connection.listen(to: Self.channel)
            return connection
        }
        onConnect()
        try await withTaskCancellationHandler {
            while !Task.isCancelled {
                let received = try await threads.runIfActive { [wake] in
                    try connection.notifications(within: Self.wait, wake: wake.descriptor)
                }
                for notification in received { body(notification.payload) }
            }
        } onCancel: {
            wake.set()
        }
    }

    func close() async {
        wake.set()
        // Both threads end within the bounds of their connections.
        try? await threads.shutdownGracefully()
        sending.withLock { $0 = nil }
    }
}
