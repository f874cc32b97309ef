import Logging
import Synchronization

/// Notifies the cluster's other processes of this process's commits, and this process's waiting requests of theirs.
///
/// Notifications are sent after the commit, on a separate connection: in the transaction of an append they would
/// serialize all writers, because `NOTIFY` holds a lock of the whole database until the end of its transaction. All
/// commits of ``pause`` share one. The periodic reading of the database makes up for lost notifications.
final class ClusterNotifier: Sendable {
    /// The least time between two notifications of a process.
    static let pause = Duration.milliseconds(10)
    /// The least time between two readings of the database requested by remote processes.
    static let readingPause = Duration.seconds(1)
    /// How long an ending process tries to send pending notifications.
    private static let lastSending = Duration.seconds(1)

    /// A request for deferred work. Requests arriving before the work begins are merged.
    private struct Signal: Sendable {
        let requests: AsyncStream<Void>
        let source: AsyncStream<Void>.Continuation

        init() { (requests, source) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }
    }

    private let channel: any NotificationChannel
    private let log: Logger
    private let sender: UInt64
    private let sleep: @Sendable (Duration) async throws -> Void
    private let batch = Mutex(NotificationBatch())
    private let unsent = Signal()
    private let unread = Signal()
    private let tasks = Mutex<(sending: Task<Void, Never>?, receiving: [Task<Void, Never>])>((nil, []))

    /// - Parameters:
    ///   - sender: The unique number of this process.
    ///   - sleep: Waits for a pause; tests decide how long that is.
    init(
        _ channel: any NotificationChannel, log: Logger, sender: UInt64 = .random(in: 1 ... .max),
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.channel = channel
        self.log = log
        self.sender = sender
        self.sleep = sleep
    }

    /// Adds notifications to the next message. Returns immediately.
    func send(_ end: LogEnd) {
        batch.withLock { $0.add(end) }
        unsent.source.yield()
    }

    /// Starts to send, and, for a serving process, to receive for `hub`.
    func start(for hub: ChangeHub?) {
        let sending = Task { await sendAll() }
        let receiving = hub.map { hub in [Task { await receiveAll(for: hub) }, Task { await readAll(for: hub) }] }
        tasks.withLock { $0 = (sending, receiving ?? []) }
    }

    /// Sends pending notifications, unless that takes longer than a second, and stops.
    func close() async {
        let (sending, receiving) = tasks.withLock { $0 }
        for task in receiving { task.cancel() }
        unsent.source.finish()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await sending?.value }
            // Only cancellation ends the sleep early, after everything was sent.
            group.addTask { try? await Task.sleep(for: Self.lastSending) }
            await group.next()
            sending?.cancel()
            await channel.close()
            group.cancelAll()
        }
        for task in receiving { await task.value }
    }

    // MARK: Sending

    private func sendAll() async {
        var failures = 0
        for await _ in unsent.requests {
            do {
                try await flush()
                failures = 0
                try await sleep(Self.pause)
            } catch {
                guard !Task.isCancelled else { return }
                failures += 1
                if failures == 1 { log.warning("notifications could not be sent", metadata: ["error": "\(error)"]) }
                // Only cancellation cuts the pause short, and that ends the loop.
                try? await sleep(Self.backOff(failures))
                unsent.source.yield()
            }
        }
        // The process ends; unsent notifications are made up for by periodic readings elsewhere.
        try? await flush()
    }

    private func flush() async throws {
        guard let content = batch.withLock({ $0.take() }) else { return }
        do { try await channel.send(NotificationMessage.payloads(content, from: sender)) } catch {
            batch.withLock { $0.add(content) }
            throw error
        }
    }

    // MARK: Receiving

    private func receiveAll(for hub: ChangeHub) async {
        var failures = 0
        while !Task.isCancelled {
            do {
                try await channel.receive {
                    // Anything sent while there was no connection is lost.
                    self.unread.source.yield()
                } _: { payload in
                    self.received(NotificationMessage(decoding: payload), for: hub)
                }
                failures = 0
            } catch {
                guard !Task.isCancelled else { return }
                failures += 1
                if failures == 1 { log.warning("notifications cannot be received", metadata: ["error": "\(error)"]) }
            }
            // Only cancellation cuts the pause short, and that ends the loop.
            try? await sleep(Self.backOff(failures))
        }
    }

    private func received(_ message: NotificationMessage, for hub: ChangeHub) {
        guard message.sender != sender else { return }
        switch message.content {
        case .ends(let ends): for end in ends { hub.received(end) }
        case .everything: unread.source.yield()
        }
    }

    /// Reads the database on request, but not more often than ``readingPause``: remote processes may request it with
    /// each notification.
    private func readAll(for hub: ChangeHub) async {
        for await _ in unread.requests {
            do { try await hub.refreshAll() } catch {
                guard !Task.isCancelled else { return }
                log.warning("the ends of logs could not be read", metadata: ["error": "\(error)"])
                unread.source.yield()
            }
            // Only cancellation cuts the pause short, and that ends the loop.
            try? await sleep(Self.readingPause)
        }
    }

    /// Returns the pause after failures in a row: from a quarter of a second to eight seconds, less than the periodic
    /// reading's, with jitter.
    private static func backOff(_ failures: Int) -> Duration {
        .milliseconds(250) * (1 << min(max(0, failures - 1), 5)) * Double.random(in: 0.5...1)
    }
}
