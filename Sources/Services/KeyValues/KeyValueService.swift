package import DaemonProtocol
package import LocalMetadata
package import Sync
import Synchronization

/// Tracks the watchers of key-value stores, and their unsent keys. A key occurs once, so memory stays bounded for a
/// slow client.
package final class KeyValueService: Sendable {
    private struct Watcher {
        let container: ContainerID
        let connection: UInt64
        let bell: Wakeup
        var isNew = true
        var keys: [KeyValueEvent.Reason: Set<String>] = [:]
    }

    private struct State {
        var watchers: [UInt64: Watcher] = [:]
        var lastID: UInt64 = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// Adds a watcher of a store.
    ///
    /// - Parameters:
    ///   - connection: The number of the client's connection.
    ///   - bell: Rung whenever ``take(_:)`` may have a new event.
    /// - Returns: The number of the watcher.
    func add(_ container: ContainerID, connection: UInt64, _ bell: Wakeup) -> UInt64 {
        state.withLock { state in
            state.lastID += 1
            state.watchers[state.lastID] = Watcher(container: container, connection: connection, bell: bell)
            return state.lastID
        }
    }

    func remove(_ id: UInt64) { _ = state.withLock { $0.watchers.removeValue(forKey: id) } }

    /// Notifies the watchers of a change from the log.
    package func changed(_ change: KeyValueChange) {
        let reason: KeyValueEvent.Reason =
            switch change.reason {
            case .serverChange: .serverChange
            case .initialSync: .initialSync
            case .quotaViolation: .quotaViolation
            }
        changed(change.container, reason, change.keys, except: nil)
    }

    /// Notifies the watchers of a change.
    ///
    /// - Parameter writer: The changing connection, which is not notified.
    package func changed(
        _ container: ContainerID, _ reason: KeyValueEvent.Reason, _ keys: Set<String>, except writer: UInt64?
    ) {
        let bells = state.withLock { state in
            let ids = state.watchers.filter { $0.value.container == container && $0.value.connection != writer }.keys
            return ids.compactMap { id -> Wakeup? in
                state.watchers[id]?.keys[reason, default: []].formUnion(keys)
                return state.watchers[id]?.bell
            }
        }
        for bell in bells { bell.ring() }
    }

    /// Returns the next event for a watcher; nil if there is none. Each watcher's first event has no keys and announces
    /// the beginning of the watch.
    func take(_ id: UInt64) -> KeyValueEvent? {
        state.withLock { state in
            guard var watcher = state.watchers[id] else { return nil }
            defer { state.watchers[id] = watcher }
            if watcher.isNew {
                watcher.isNew = false
                return KeyValueEvent(reason: .serverChange, keys: [])
            }
            guard let (reason, keys) = watcher.keys.popFirst() else { return nil }
            return KeyValueEvent(reason: reason, keys: keys.sorted())
        }
    }
}
