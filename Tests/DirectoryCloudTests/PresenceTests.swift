import CloudModel
import CloudStorage
import DirectoryCloud
import SystemPackage
import TestSupport
import Testing

@Suite("Clouds that disappear and return")
struct PresenceTests {
    @Test(
        "A directory that was renamed away is offline for every operation, is not created again, and works after its return"
    )
    func renamedAway() async throws {
        try await withFolder { folder in
            let (path, away) = (folder.appending("cloud"), folder.appending("away"))
            let cloud = try await newCloud(path)
            _ = try await cloud.append([1], to: .cloudDocs)
            try path.rename(to: away)
            await expectAllOffline(cloud)
            #expect(!path.isThere)
            try away.rename(to: path)
            #expect(try await cloud.append([2], to: .cloudDocs) == LogSequence(2))
        }
    }

    @Test("The empty folder that an unmounted disk leaves is offline, and stays empty")
    func emptyFolder() async throws {
        try await withFolder { folder in
            let path = folder.appending("cloud")
            let cloud = try await newCloud(path)
            try path.rename(to: folder.appending("away"))
            try #require(run(["mkdir", path.string]))
            await expectAllOffline(cloud)
            await expectCloudError(.offline) { _ = try await cloud.connect(create: false) }
            // rmdir(1) succeeds only on an empty folder.
            #expect(run(["rmdir", path.string]))
        }
    }

    @Test(
        "Disappearing and returning make events, for the cloud and for a folder above it", .timeLimit(.minutes(10)),
        arguments: [
            "a/b/cloud", "a/b", "a",
        ])
    func events(moved: String) async throws {
        try await withFolder { folder in
            try #require(run(["mkdir", "-p", folder.appending("a/b").string]))
            let cloud = try await newCloud(folder.appending("a/b/cloud"))
            let events = cloud.events()
            for _ in 0..<2 {
                try folder.appending(moved).rename(to: folder.appending("away"))
                await expectEvent(.reachabilityChanged, in: events) { await isOffline(cloud) }
                try folder.appending("away").rename(to: folder.appending(moved))
                await expectEvent(.reachabilityChanged, in: events) { await !isOffline(cloud) }
            }
            // The watches are established again.
            let other = backend(folder.appending("a/b/cloud"))
            _ = try await other.connect(create: false)
            _ = try await other.append([1], to: .cloudDocs)
            await expectEvent(.containerChanged(.cloudDocs), in: events) {
                try await cloud.wholeLog(of: .cloudDocs).count == 1
            }
        }
    }

    @Test("A cloud that is deleted, or replaced by another, is noticed", .timeLimit(.minutes(10)))
    func deletedAndMade() async throws {
        try await withFolder { folder in
            let path = folder.appending("cloud")
            let events = backend(path).events()
            let first = try await newCloud(path)
            await expectEvent(.reachabilityChanged, in: events) { await !isOffline(first) }
            run(["rm", "-rf", path.string])
            await expectEvent(.reachabilityChanged, in: events) { await isOffline(first) }
        }
    }

    @Test("A disk that is unmounted and mounted again makes events", .timeLimit(.minutes(10)), .needsRoot)
    func mounted() async throws {
        try await withFolder { folder in
            let (disk, point) = (folder.appending("disk"), folder.appending("point"))
            try #require(run(["mkdir", disk.string]))
            let (cloud, events) = try await withMount("--bind", disk.string, at: point) {
                let cloud = try await newCloud(point.appending("cloud"))
                let events = cloud.events()
                await expectEvent(.containersChanged, in: events) { await !isOffline(cloud) }
                return (cloud, events)
            }
            await expectEvent(.reachabilityChanged, in: events) { await isOffline(cloud) }
            try await withMount("--bind", disk.string, at: point) {
                await expectEvent(.reachabilityChanged, in: events) { await !isOffline(cloud) }
                let sequence = try await cloud.append([1], to: .cloudDocs)
                #expect(sequence == LogSequence(1))
            }
        }
    }

    @Test("Another cloud at the path of ours is foreign, and is neither read nor written")
    func swapped() async throws {
        try await withFolder { folder in
            let (path, otherPath) = (folder.appending("cloud"), folder.appending("other"))
            let cloud = try await newCloud(path)
            let other = try await newCloud(otherPath)
            _ = try await other.append([9], to: .cloudDocs)
            try path.rename(to: folder.appending("away"))
            try otherPath.rename(to: path)
            await expectCloudError(.foreign) { _ = try await cloud.append([1], to: .cloudDocs) }
            await expectCloudError(.foreign) { _ = try await cloud.entries(in: .cloudDocs, after: .zero, limit: 9) }
            await expectCloudError(.foreign) { _ = try await cloud.connect(create: false) }
            #expect(!path.entry(2).isThere)
            try path.rename(to: otherPath)
            try folder.appending("away").rename(to: path)
            #expect(try await cloud.append([1], to: .cloudDocs) == LogSequence(1))
        }
    }

    @Test("A copy of the cloud at its path is the same cloud")
    func copied() async throws {
        try await withFolder { folder in
            let path = folder.appending("cloud")
            let cloud = try await newCloud(path)
            _ = try await cloud.append([1], to: .cloudDocs)
            try path.rename(to: folder.appending("away"))
            try #require(run(["cp", "-a", folder.appending("away").string, path.string]))
            #expect(try await cloud.append([2], to: .cloudDocs) == LogSequence(2))
        }
    }
}

func isOffline(_ cloud: DirectoryBackend) async -> Bool {
    do {
        _ = try await cloud.containers()
        return false
    } catch let error as CloudError { return error.code == .offline } catch { return false }
}

private func expectAllOffline(_ cloud: DirectoryBackend) async {
    await expectCloudError(.offline) { _ = try await cloud.containers() }
    await expectCloudError(.offline) { try await cloud.createContainer(.cloudDocs) }
    await expectCloudError(.offline) { _ = try await cloud.append([1], to: .cloudDocs) }
    await expectCloudError(.offline) { _ = try await cloud.entries(in: .cloudDocs, after: .zero, limit: 1) }
    await expectCloudError(.offline) { _ = try await cloud.missing([chunkID(1)], in: .cloudDocs) }
    await expectCloudError(.offline) { try await cloud.putChunk(chunkID(1), frame: [1], in: .cloudDocs) }
    await expectCloudError(.offline) { _ = try await cloud.getChunk(chunkID(1), in: .cloudDocs) }
    await expectCloudError(.offline) { _ = try await cloud.space() }
    await expectCloudError(.offline) { _ = try await cloud.connect(create: false) }
}
