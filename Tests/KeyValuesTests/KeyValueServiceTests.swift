import DaemonProtocol
import LocalMetadata
import Sync
import Testing

@testable import KeyValues

@Suite("The watchers of key-value stores")
struct KeyValueServiceTests {
    private let service = KeyValueService()
    private let store = ContainerID(1)

    /// Adds a watcher and takes its first event.
    private func watch(_ container: ContainerID, connection: UInt64) -> UInt64 {
        let id = service.add(container, connection: connection, Wakeup())
        _ = service.take(id)
        return id
    }

    @Test("the first event of a watcher has no keys")
    func beginning() {
        let id = service.add(store, connection: 1, Wakeup())
        let first = service.take(id)
        #expect(first == KeyValueEvent(reason: .serverChange, keys: []))
        #expect(service.take(id) == nil)
    }

    @Test("all watchers of a store are notified of a change, except those of the connection that made it")
    func writer() {
        let (own, other) = (watch(store, connection: 1), watch(store, connection: 2))
        let elsewhere = watch(ContainerID(2), connection: 2)
        service.changed(store, .serverChange, ["key"], except: 1)
        #expect(service.take(own) == nil)
        #expect(service.take(elsewhere) == nil)
        let event = service.take(other)
        #expect(event == KeyValueEvent(reason: .serverChange, keys: ["key"]))
    }

    @Test("a watcher that is slow gets each key once, with those of other reasons in an event of their own")
    func slow() {
        let id = watch(store, connection: 1)
        for keys in [["b"], ["a", "b"], ["b"]] { service.changed(store, .serverChange, Set(keys), except: nil) }
        service.changed(store, .initialSync, ["b"], except: nil)
        let events = [service.take(id), service.take(id)]
        #expect(events.contains(KeyValueEvent(reason: .serverChange, keys: ["a", "b"])))
        #expect(events.contains(KeyValueEvent(reason: .initialSync, keys: ["b"])))
        #expect(service.take(id) == nil)
    }

    @Test("a watcher that has left has no events")
    func leaving() {
        let id = watch(store, connection: 1)
        service.changed(store, .serverChange, ["key"], except: nil)
        service.remove(id)
        #expect(service.take(id) == nil)
    }
}
