import Basics
import CloudModel
import CloudStorage
import Synchronization
import TestSupport
import Testing

@Suite("Decorators of a cloud")
struct CloudDecoratorTests {
    /// Changes nothing.
    private struct Plain: CloudDecorator {
        let base: any CloudBackend
    }

    /// Changes a single method.
    private struct Mirroring: CloudDecorator {
        let base: any CloudBackend

        func getChunk(_ id: ChunkID, in container: ContainerName) async throws -> [UInt8] {
            try await base.getChunk(id, in: container).reversed()
        }
    }

    /// Counts forwarded calls.
    private final class Counting: CloudDecorator {
        let base: any CloudBackend
        let names = Mutex<[String]>([])

        init(_ base: any CloudBackend) { self.base = base }

        func perform<T: Sendable>(
            _ name: String, _ operation: @escaping @Sendable () async throws -> T
        ) async throws -> T {
            names.withLock { $0.append(name) }
            return try await operation()
        }
    }

    @Test(
        "a decorator that overrides nothing forwards each method of the contract and of every facet, with its arguments and result"
    )
    func plain() async throws {
        let cloud = AbleCloud()
        let direct = try await AbleCloud.useAll(cloud)
        let expected = cloud.takeCalls()
        let through = try await AbleCloud.useAll(Plain(base: cloud))
        #expect(through == direct)
        #expect(cloud.takeCalls() == expected)
        #expect(Set(expected).count == 26)
    }

    @Test("decorators around decorators forward as well")
    func nested() async throws {
        let cloud = AbleCloud()
        let direct = try await AbleCloud.useAll(cloud)
        let expected = cloud.takeCalls()
        #expect(try await AbleCloud.useAll(Plain(base: Plain(base: cloud))) == direct)
        #expect(cloud.takeCalls() == expected)
    }

    @Test("a decorator that overrides one method changes that one, and forwards all others")
    func mirroring() async throws {
        let cloud = AbleCloud()
        let direct = try await AbleCloud.useAll(cloud)
        let through = try await AbleCloud.useAll(Mirroring(base: cloud))
        let changed = zip(direct, through).filter { $0 != $1 }
        #expect(through.count == direct.count)
        #expect(changed.map(\.0) == ["[1, 2]"])
        #expect(changed.map(\.1) == ["[2, 1]"])
    }

    @Test(
        "each operation that may throw passes the one function through which a decorator can count, cancel or fail all")
    func counting() async throws {
        let cloud = AbleCloud()
        let counting = Counting(cloud)
        _ = try await AbleCloud.useAll(counting)
        let names = counting.names.withLock { $0 }
        #expect(names.count == 23)
        #expect(Set(names).count == 23)
        #expect(names.contains("putChunks(_:epoch:in:)"))
    }

    @Test("a decorator has the abilities of its cloud, and no others, and a facet of it is the decorator")
    func abilities() async throws {
        let able = Plain(base: AbleCloud())
        #expect(able.facet((any LinkPublishing).self) is Plain)
        let collecting = Plain(base: InMemoryBackend())
        #expect(collecting.facet((any ChunkCollecting).self) is Plain)
        #expect(collecting.facet((any LinkPublishing).self) == nil)
        #expect(Plain(base: collecting).facet((any LinkPublishing).self) == nil)
        await #expect { _ = try await collecting.links() } throws: { ($0 as? CloudError)?.code == .failed }
        #expect(!collecting.isResetAsked)
        for await event in Plain(base: AbleCloud(hasFacets: false)).events() { Issue.record("received \(event)") }
    }
}
