import ControlServer
import DaemonProtocol
import LocalMetadata
import Sync
import Synchronization

/// Tracks which client watches which key-value store, and the keys that each has not been sent. A key occurs once, so memory stays bounded
/// for a slow client.
final class KeyValueService: Sendable {
    private struct Line {
        let container: ContainerID
        let connection: UInt64
        let bell: Wakeup
        var isNew = true
        var keys: [KeyValueEvent.Reason: Set<String>] = [:]
    }

    private struct State {
        var lines: [UInt64: Line] = [:]
        var lastID: UInt64 = 0
    }

    private let state = Mutex(State())

    func add(_ container: ContainerID, _ client: ClientContext, _ bell: Wakeup) -> UInt64 {
        state.withLock { state in
            state.lastID += 1
            state.lines[state.lastID] = Line(container: container, connection: client.connection, bell: bell)
            return state.lastID
        }
    }

    func remove(_ id: UInt64) { _ = state.withLock { $0.lines.removeValue(forKey: id) } }

    /// Records a change from the log.
    func tell(_ change: KeyValueChange) {
        let reason: KeyValueEvent.Reason =
            switch change.reason {
            case .serverChange: .serverChange
            case .initialSync: .initialSync
            case .quotaViolation: .quotaViolation
            }
        tell(change.container, reason, change.keys, except: nil)
    }

    /// - Parameter writer: The connection that made the change and is not notified of it.
    func tell(
        _ container: ContainerID, _ reason: KeyValueEvent.Reason, _ keys: Set<String>, except writer: UInt64?
    ) {
        let bells = state.withLock { state in
            let ids = state.lines.filter { $0.value.container == container && $0.value.connection != writer }.keys
            return ids.compactMap { id -> Wakeup? in
                state.lines[id]?.keys[reason, default: []].formUnion(keys)
                return state.lines[id]?.bell
            }
        }
        for bell in bells { bell.ring() }
    }

    /// Returns the next event for a watcher; nil if there is none.
    func take(_ id: UInt64) -> KeyValueEvent? {
        state.withLock { state in
            guard var line = state.lines[id] else { return nil }
            defer { state.lines[id] = line }
            if line.isNew {
                line.isNew = false
                return KeyValueEvent(reason: .serverChange, keys: [])
            }
            guard let (reason, keys) = line.keys.popFirst() else { return nil }
            return KeyValueEvent(reason: reason, keys: keys.sorted())
        }
    }
}

/// The events of one store for one client, produced as fast as the client reads.
final class KeyValueFeed: Sendable {
    private let service: KeyValueService
    private let clock: any Clock<Duration>
    private let bell = Wakeup()
    private let id: UInt64

    init(_ service: KeyValueService, _ container: ContainerID, _ client: ClientContext, _ clock: any Clock<Duration>) {
        self.service = service
        self.clock = clock
        id = service.add(container, client, bell)
    }

    deinit { service.remove(id) }

    /// Returns the next event; nil when the task was cancelled.
    func next() async -> DaemonEvent? {
        while !Task.isCancelled {
            if let news = service.take(id) { return .keyValues(news) }
            await bell.wait(atMost: .seconds(60), clock: clock)
        }
        return nil
    }
}
