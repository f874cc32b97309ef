import Basics
import CloudModel
import CloudStorage
import Glibc
import SystemPackage
import TestSupport
import Testing

@testable import DirectoryCloud

@Suite("Logs mixed from two histories")
struct MixedLogTests {
    private struct Mixed {
        let cloud: DirectoryBackend
        /// The same cloud, as a device opens it that has read it to its end before and starts now.
        let restarted: DirectoryBackend
        let position: LogPosition
    }

    /// Appends to two copies of a cloud. `mix` takes files of the second into the first.
    private func withMix(
        mix: (_ cloud: FilePath, _ other: FilePath) throws -> Void, _ body: (Mixed) async throws -> Void
    ) async throws {
        try await withFolder { folder in
            let (path, copy) = (folder.appending("cloud"), folder.appending("copy"))
            let cloud = try await newCloud(path)
            for _ in 1...2 { _ = try await cloud.append([1], to: .cloudDocs) }
            try #require(run(["cp", "-a", path.string, copy.string]))
            let other = backend(copy)
            _ = try await other.connect(create: false)
            for _ in 3...6 {
                _ = try await cloud.append([2], to: .cloudDocs)
                _ = try await other.append([3], to: .cloudDocs)
            }
            let position = try #require(try await cloud.wholeLog(of: .cloudDocs, page: 9).last?.position)
            try mix(path, copy)
            let restarted = backend(path)
            _ = try await restarted.connect(create: false)
            try await body(Mixed(cloud: cloud, restarted: restarted, position: position))
        }
    }

    @Test(
        "an earlier entry of a different history is found, although the last position is there", arguments: [3, 4, 5],
        [true, false])
    func replaced(number: Int, isWhole: Bool) async throws {
        try await withMix {
            try $1.entry(number).rename(to: $0.entry(number))
        } _: { mixed in
            let cloud = isWhole ? mixed.cloud : mixed.restarted
            let error = await #expect(throws: CloudError.self) {
                _ = try await cloud.entries(in: .cloudDocs, after: mixed.position, limit: isWhole ? 0 : 64)
            }
            #expect(error?.code == .diverged)
            // Entry 3 of each history follows entry 2 of both.
            #expect(error?.description.contains("Entry \(max(number, 4))") == true, "\(error?.description ?? "")")
        }
    }

    @Test("an earlier entry that is gone is found")
    func gone() async throws {
        try await withMix { cloud, _ in
            #expect(run(["rm", cloud.entry(4).string]))
        } _: { mixed in
            let error = await #expect(throws: CloudError.self) {
                _ = try await mixed.cloud.entries(in: .cloudDocs, after: mixed.position, limit: 0)
            }
            #expect(error?.code == .diverged)
        }
    }

    @Test("an earlier entry that is damaged does not stop a device that has read it, but confirms no eviction")
    func damaged() async throws {
        try await withMix { cloud, _ in
            let bytes = try cloud.entry(4).read()
            try cloud.entry(4).write(bytes.dropLast() + [9])
        } _: { mixed in
            let error = await #expect(throws: CloudError.self) {
                _ = try await mixed.restarted.entries(in: .cloudDocs, after: mixed.position, limit: 0)
            }
            let next = try await mixed.restarted.entries(in: .cloudDocs, after: mixed.position, limit: 64)
            #expect(next.isEmpty)
            #expect(error?.code == .damaged)
        }
    }

    @Test("a shard is checked again once its folder or its last entry changed, and not sooner than after a pause")
    func due() {
        var shards = CheckedShards()
        let (old, new) = (FileKey(stat()), FileKey(changed(1)))
        let start = Timestamp(seconds: 1_000)
        func isDue(_ folder: FileKey, upTo last: UInt64 = 9, isUrgent: Bool = false, after seconds: Int64) -> Bool {
            shards.isDue(0, folder, upTo: last, isUrgent: isUrgent, at: Timestamp(seconds: 1_000 + seconds))
        }
        #expect(isDue(old, after: 0))
        shards.note(0, old, upTo: 9, at: start)
        #expect(!isDue(old, isUrgent: true, after: 100))
        #expect(!isDue(new, after: 9) && isDue(new, after: 10) && isDue(new, isUrgent: true, after: 1))
        #expect(!isDue(old, upTo: 10, after: 9) && isDue(old, upTo: 10, after: 10))
        #expect(isDue(new, after: -1), "the clock was set back")
    }

    private func changed(_ seconds: Int) -> stat {
        var status = stat()
        status.st_ctim.tv_sec = seconds
        return status
    }
}
