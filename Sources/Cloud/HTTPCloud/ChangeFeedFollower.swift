import CloudModel
import CloudProtocol
import CloudStorage
import HTTPTransport
import Logging
import Synchronization

/// A consumer's subscription to the change feed; ends with its last reference.
final class ChangeFeedSubscription: Sendable {
    let mailbox = EventMailbox()
    private let task: Task<Void, Never>

    init(_ connection: ServerConnection) {
        let follower = ChangeFeedFollower(connection: connection, mailbox: mailbox)
        task = Task { await follower.run() }
    }

    deinit { task.cancel() }

    func end() {
        task.cancel()
        mailbox.end()
    }
}

/// Follows a server's change feed for one consumer, and reconnects after every interruption.
///
/// The stream is an endless response. If a proxy buffers responses until they are complete, no line arrives. The
/// follower then polls, and the server delays each response until there is a change.
final class ChangeFeedFollower: Sendable {
    private let connection: ServerConnection
    private let mailbox: EventMailbox
    private let memory = Mutex(ChangeFeedState())
    /// The time limit for the first line, which arrives immediately unless a proxy holds it back.
    private let patience: Duration
    /// The number of polls before the next attempt to stream.
    private static let answersBeforeStream = 20

    init(connection: ServerConnection, mailbox: EventMailbox, patience: Duration = .seconds(10)) {
        self.connection = connection
        self.mailbox = mailbox
        self.patience = patience
    }

    func run() async {
        var failures = 0
        var polls = 0
        while !Task.isCancelled {
            do {
                if polls > 0 { try await poll() } else { try await stream() }
                polls = max(0, polls - 1)
                failures = 0
            } catch is CancellationError {
                break
            } catch is HeldBack {
                connection.log.notice("a proxy buffers the server's change feed; polling instead")
                polls = Self.answersBeforeStream
            } catch {
                let wasConnected = memory.withLock { $0.interrupted() }
                failures = wasConnected ? 1 : failures + 1
                connection.log.debug("the change feed was interrupted", metadata: ["why": "\(error)"])
                // Only cancellation cuts the pause short, and that ends the loop.
                try? await Task.sleep(for: Self.pause(after: failures))
            }
        }
        mailbox.end()
    }

    /// Returns the pause before a reconnect: short at first, to hide a server's restart, and never long, because an
    /// open request costs a device little.
    private static func pause(after failures: Int) -> Duration {
        let policy = RetryPolicy(first: .milliseconds(250), longest: .seconds(10))
        var random = SystemRandomNumberGenerator()
        return policy.pause(after: failures, .offline, using: &random) ?? .seconds(10)
    }

    private func learn(_ event: ChangeFeedEvent) {
        for hint in memory.withLock({ $0.learn(event) }) { mailbox.post(hint) }
    }

    private func stream() async throws {
        var exchange = Exchange(.get, CloudRoutes.changeFeed)
        exchange.isForAnyCloud = true
        let response = try await connection.head(of: try connection.request(exchange), within: .seconds(30))
        try await connection.check(response)
        memory.withLock { $0.beganStream() }
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await self.follow(response.body)
                return true
            }
            group.addTask {
                try await Task.sleep(for: self.patience)
                guard self.memory.withLock({ $0.hasLine }) else { throw HeldBack() }
                return false
            }
            defer { group.cancelAll() }
            while let isOver = try await group.next(), !isOver {}
        }
        // The server stopped, or ended our access; the next request shows which.
        throw CloudError(.offline, "The server ended the change feed.")
    }

    private func follow(_ body: HTTPBody) async throws {
        var reader = LineReader()
        for try await part in body {
            for line in try reader.append(part) {
                learn(try WireJSON.decode(ChangeFeedEvent.self, from: line))
            }
        }
    }

    private func poll() async throws {
        let revision = memory.withLock { $0.revision }
        learn(
            try await connection.json(
                ChangeFeedEvent.self, Exchange(.get, "\(CloudRoutes.changeFeed)?after=\(revision)&wait=30")))
    }

    private struct HeldBack: Error {}
}

/// Tracks the known ends of the logs and derives hints from events. Pure.
struct ChangeFeedState {
    /// More containers than any account has. Bounds the memory for names invented by a server.
    static let maximumNames = 16_384

    private var sequences: [String: UInt64] = [:]
    var nameCount: Int { sequences.count }
    private(set) var revision: UInt64 = 0
    private(set) var isConnected = false
    /// Whether a line has arrived since the stream began.
    private(set) var hasLine = false
    private var wasInterrupted = false

    /// Records that the connection was interrupted.
    ///
    /// - Returns: Whether there was a connection.
    mutating func interrupted() -> Bool {
        defer { (isConnected, wasInterrupted) = (false, true) }
        return isConnected
    }

    mutating func beganStream() { hasLine = false }

    mutating func learn(_ event: ChangeFeedEvent) -> [CloudEvent] {
        var events: [CloudEvent] = []
        if wasInterrupted { events.append(.reachabilityChanged) }
        (isConnected, wasInterrupted, hasLine) = (true, false, true)
        revision = event.revision
        let known = Set(sequences.keys)
        for (name, sequence) in event.containers.sorted(by: { $0.key < $1.key }) where sequences[name] != sequence {
            guard sequences[name] != nil || sequences.count < Self.maximumNames else { continue }
            sequences[name] = sequence
            guard let container = ContainerName(name) else { continue }
            if !known.contains(name), !events.contains(.containersChanged) { events.append(.containersChanged) }
            events.append(.containerChanged(container))
        }
        return events
    }
}
