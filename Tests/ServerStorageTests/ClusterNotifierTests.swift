import CloudModel
import CloudProtocol
import Foundation
import Synchronization
import Testing

@testable import ServerStorage

@Suite("Notifications between the processes of a cluster", .timeLimit(.minutes(10)))
struct ClusterNotifierTests {
    private let anna = AccountID(1)

    @Test("a commit of one process wakes a request that waits at another")
    func wakes() async throws {
        let network = MemoryNetwork()
        let (one, other) = (Process(network), Process(network))
        await network.haveConnected(2)
        let before = try await other.hub.latest(of: anna)
        async let waiting: Void = other.hub.wait(for: anna, after: before.revision)
        one.hub.changed(.cloudDocs, to: 5, of: anna)
        await waiting
        let after = try await other.hub.latest(of: anna)
        #expect(after.containers == ["CloudDocs": 5])
        await one.notifier.close()
        await other.notifier.close()
    }

    @Test("commits within one pause share a notification")
    func batches() async throws {
        let network = MemoryNetwork()
        let barrier = Barrier()
        let process = Process(network, sleep: { _ in await barrier.pass() })
        process.hub.changed(.cloudDocs, to: 1, of: anna)
        await barrier.isReached()
        for sequence in 2...9 as ClosedRange<UInt64> {
            process.hub.changed(.cloudDocs, to: sequence, of: anna)
            process.hub.changed(.cloudDocs, to: sequence, of: AccountID(2))
        }
        await barrier.open()
        await process.notifier.close()
        let sent = network.sent.map { NotificationMessage(decoding: $0).content }
        #expect(sent.count == 2)
        guard case .ends(let last)? = sent.last else { throw CocoaError(.coderInvalidValue) }
        let expected = [anna, AccountID(2)].map { LogEnd(account: $0, container: .cloudDocs, sequence: 9) }
        #expect(Set(last) == Set(expected))
    }

    @Test("notifications that could not be sent are sent when that is possible again")
    func retries() async throws {
        let network = MemoryNetwork()
        network.failNextSends(3)
        let process = Process(network)
        process.hub.changed(.cloudDocs, to: 1, of: anna)
        await network.hasSent(1)
        #expect(network.failures == 3)
        await process.notifier.close()
    }

    @Test("after a reconnect a process reads what it may have missed")
    func reconnects() async throws {
        try await expectReading { $0.disconnect() }
    }

    @Test("a notification of a later version makes a process read the database")
    func laterVersion() async throws {
        try await expectReading { try await $0.send(["2 {\"anything\": true}"]) }
    }

    /// Expects that an event makes a process read new data without an intelligible notification.
    private func expectReading(after event: (MemoryNetwork) async throws -> Void) async throws {
        let network = MemoryNetwork()
        let process = Process(network)
        await network.haveConnected(1)
        let before = try await process.hub.latest(of: anna)
        async let waiting: Void = process.hub.wait(for: anna, after: before.revision)
        process.stored.withLock { $0 = ["CloudDocs": 8] }
        try await event(network)
        await waiting
        let after = try await process.hub.latest(of: anna)
        #expect(after.containers == ["CloudDocs": 8])
        await process.notifier.close()
    }

    @Test("a process that ends sends what it has not sent yet")
    func end() async throws {
        let network = MemoryNetwork()
        // A command of the owner only sends.
        let notifier = ClusterNotifier(network, log: quiet)
        notifier.start(for: nil)
        notifier.send(LogEnd(account: anna, container: .cloudDocs, sequence: 4))
        await notifier.close()
        #expect(network.sent.count == 1)
    }

    @Test("a container that was removed is no longer in the feed after the database is read, and a new one stays")
    func removed() async throws {
        let stored = Mutex<[String: UInt64]>(["a": 1, "b": 2])
        let hub = ChangeHub { _ in stored.withLock { $0 } }
        let before = try await hub.latest(of: anna)
        #expect(before.containers == ["a": 1, "b": 2])
        stored.withLock { $0 = ["b": 2, "c": 0, "/7": 9] }
        try await hub.refresh(anna)
        let after = try await hub.latest(of: anna)
        #expect(after.containers == ["b": 2, "c": 0])
    }
}

/// A process of a cluster without a database: its hub and its notifier.
private struct Process: Sendable {
    final class Stored: Sendable {
        private let ends = Mutex<[String: UInt64]>([:])
        func withLock<T: Sendable>(_ body: (inout [String: UInt64]) -> T) -> T { ends.withLock { body(&$0) } }
    }

    let hub: ChangeHub
    let notifier: ClusterNotifier
    let stored: Stored

    init(
        _ network: MemoryNetwork,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { _ in await Task.yield() }
    ) {
        let (notifier, stored) = (ClusterNotifier(network, log: quiet, sleep: sleep), Stored())
        hub = ChangeHub { _ in
            stored.withLock { $0 }
        } send: {
            notifier.send($0)
        }
        notifier.start(for: hub)
        (self.notifier, self.stored) = (notifier, stored)
    }
}

/// A network within this process.
private final class MemoryNetwork: NotificationChannel {
    private struct State {
        var receivers: [AsyncStream<String>.Continuation] = []
        var connections = 0
        var sent: [String] = []
        var failing = 0
        var failures = 0
    }

    private struct Unreachable: Error {}

    private let state = Mutex(State())

    var sent: [String] { state.withLock { $0.sent } }
    var failures: Int { state.withLock { $0.failures } }

    func failNextSends(_ count: Int) { state.withLock { $0.failing = count } }

    func disconnect() {
        let receivers = state.withLock { state in
            defer { state.receivers = [] }
            return state.receivers
        }
        for receiver in receivers { receiver.finish() }
    }

    func send(_ payloads: [String]) async throws {
        let receivers = try state.withLock { state in
            guard state.failing == 0 else {
                state.failing -= 1
                state.failures += 1
                throw Unreachable()
            }
            state.sent += payloads
            return state.receivers
        }
        for payload in payloads { for receiver in receivers { receiver.yield(payload) } }
    }

    func receive(onConnect: @Sendable () -> Void, _ body: @Sendable (String) -> Void) async throws {
        let (payloads, receiver) = AsyncStream<String>.makeStream()
        state.withLock { $0.receivers.append(receiver) }
        onConnect()
        state.withLock { $0.connections += 1 }
        for await payload in payloads { body(payload) }
        throw Unreachable()
    }

    func close() async {}

    func haveConnected(_ count: Int) async { await reach { $0.connections >= count } }
    func hasSent(_ count: Int) async { await reach { $0.sent.count >= count } }

    private func reach(_ condition: @Sendable (State) -> Bool) async {
        while !state.withLock({ condition($0) }) { await Task.yield() }
    }
}

/// Holds everything back until it is opened.
private actor Barrier {
    private var isOpen = false
    private var held: [CheckedContinuation<Void, Never>] = []
    private var observers: [CheckedContinuation<Void, Never>] = []

    func pass() async {
        guard !isOpen else { return }
        for observer in observers { observer.resume() }
        observers = []
        await withCheckedContinuation { held.append($0) }
    }

    func isReached() async {
        guard held.isEmpty else { return }
        await withCheckedContinuation { observers.append($0) }
    }

    func open() {
        isOpen = true
        for holder in held { holder.resume() }
        held = []
    }
}
