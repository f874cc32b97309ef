import CloudModel
import CloudStorage
import Logging
import TestSupport
import Testing

@Suite("A cloud that can be switched off")
struct SwitchableCloudTests {
    private static let container = ContainerName.cloudDocs

    private func connected() async throws -> (InMemoryBackend, SwitchableCloud) {
        let backend = InMemoryBackend()
        let cloud = SwitchableCloud(backend, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        _ = try await cloud.connect(create: true)
        try await cloud.createContainer(Self.container)
        return (backend, cloud)
    }

    private func expectOffline(_ operation: () async throws -> Void) async {
        await #expect {
            try await operation()
        } throws: {
            ($0 as? CloudError)?.code == .offline && "\($0)".contains("ubiquity online")
        }
    }

    @Test("while it is off nothing reaches the cloud, and every operation fails as offline; switched on it works again")
    func nothingTravels() async throws {
        let (backend, cloud) = try await connected()
        cloud.setOffline(true)
        let before = backend.gate.count(.append) + backend.gate.count(.entries) + backend.gate.count(.containers)
        await expectOffline { _ = try await cloud.append([1], to: Self.container) }
        await expectOffline { _ = try await cloud.entries(in: Self.container, after: .zero, limit: 1) }
        await expectOffline { _ = try await cloud.containers() }
        await expectOffline { _ = try await cloud.present([], in: Self.container) }
        let after = backend.gate.count(.append) + backend.gate.count(.entries) + backend.gate.count(.containers)
        #expect(after == before)
        cloud.setOffline(false)
        let sequence = try await cloud.append([1], to: Self.container)
        #expect(sequence == LogSequence(1))
    }

    @Test("an operation under way is interrupted and fails as offline")
    func interrupted() async throws {
        let (backend, cloud) = try await connected()
        backend.gate.hold(.entries)
        async let read = cloud.entries(in: Self.container, after: .zero, limit: 1)
        await backend.gate.untilHeld(1)
        cloud.setOffline(true)
        do {
            _ = try await read
            Issue.record("the operation was not interrupted")
        } catch { #expect((error as? CloudError)?.code == .offline) }
        #expect(backend.gate.heldCalls.isEmpty)
    }

    @Test("an operation that its caller cancels ends as cancelled, not as offline")
    func cancelled() async throws {
        let (backend, cloud) = try await connected()
        backend.gate.hold(.entries)
        let read = Task { try await cloud.entries(in: Self.container, after: .zero, limit: 1) }
        await backend.gate.untilHeld(1)
        read.cancel()
        await #expect(throws: CancellationError.self) { try await read.value }
    }

    @Test("events stop while it is off; afterwards the first one requests a retry")
    func events() async throws {
        let (backend, cloud) = try await connected()
        var events = cloud.events().makeAsyncIterator()
        #expect(await events.next() == .reachabilityChanged)
        cloud.setOffline(true)
        cloud.setOffline(false)
        #expect(await events.next() == .reachabilityChanged)
        // The listener at the cloud itself is registered by another task, so the change is repeated until it arrives.
        let changes = Task {
            while !Task.isCancelled {
                _ = try await backend.append([1], to: Self.container)
                await Task.yield()
            }
        }
        #expect(await events.next() == .containerChanged(Self.container))
        changes.cancel()
    }

    @Test("it has the abilities of its cloud, and no others")
    func facets() {
        let cloud = SwitchableCloud(InMemoryBackend(), log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        #expect(cloud.facet((any ChunkCollecting).self) is SwitchableCloud)
        #expect(cloud.facet((any ChangeNotifying).self) is SwitchableCloud)
        #expect(cloud.facet((any LinkPublishing).self) == nil)
        #expect(cloud.facet((any ChunkBatching).self) == nil)
        #expect(cloud.facet((any RemoteResettable).self) == nil)
    }
}
