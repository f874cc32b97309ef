import CloudModel
import CloudStorage
import Cryptography
import DirectoryCloud
import Glibc
import SystemPackage
import TestSupport
import Testing

@Suite("Long logs")
struct LogShardTests {
    /// Writes files of entries for a log of `count` equal entries.
    private func extend(_ path: FilePath, to count: Int) throws {
        var digest = Digest.zero.chained([1])
        for number in 2...count {
            let shard = path.appending("containers/CloudDocs/log/" + padded(number / 1000, 6))
            if !shard.isThere { try #require(run(["mkdir", shard.string])) }
            digest = digest.chained([1])
            try shard.appending(padded(number, 9)).write(StoredFrame.entry([1], digest: digest).header + [1])
        }
    }

    private func padded(_ number: Int, _ width: Int) -> String {
        String(repeating: "0", count: width - String(number).count) + String(number)
    }

    @Test(
        "A log continues in the next folder after 999 entries, for writers, readers and watchers",
        .timeLimit(.minutes(10))
    )
    func nextShard() async throws {
        try await withFolder { folder in
            let path = folder.appending("cloud")
            let cloud = try await newCloud(path)
            _ = try await cloud.append([1], to: .cloudDocs)
            try extend(path, to: 998)
            let events = cloud.events()
            let other = backend(path)
            _ = try await other.connect(create: false)
            for number in UInt64(999)...1002 {
                #expect(try await other.append([2], to: .cloudDocs) == LogSequence(number))
                await expectEvent(.containerChanged(.cloudDocs), in: events) {
                    try await cloud.entries(in: .cloudDocs, after: LogSequence(number - 1), limit: 9).count == 1
                }
            }
            #expect(path.appending("containers/CloudDocs/log/000001/000001000").isThere)
            #expect(
                try await cloud.wholeLog(of: .cloudDocs, page: 300).map(\.sequence)
                    == (1...1002).map { LogSequence($0) })
        }
    }

    @Test(
        "An entry of a different history is found in each shard, and a shard that is gone",
        arguments: [999, 1000])
    func mixed(number: Int) async throws {
        try await withFolder { folder in
            let path = folder.appending("cloud")
            let cloud = try await newCloud(path)
            _ = try await cloud.append([1], to: .cloudDocs)
            try extend(path, to: 1002)
            let position = try #require(try await cloud.wholeLog(of: .cloudDocs, page: 300).last?.position)
            #expect(try await cloud.entries(in: .cloudDocs, after: position, limit: 0).isEmpty)
            let shard = path.appending("containers/CloudDocs/log/" + padded(number / 1000, 6))
            let other = folder.appending("other")
            try other.write(StoredFrame.entry([2], digest: .zero).header + [2])
            try other.rename(to: shard.appending(padded(number, 9)))
            await expectCloudError(.diverged) {
                _ = try await cloud.entries(in: .cloudDocs, after: position, limit: 0)
            }
            try #require(run(["rm", "-r", shard.string]))
            await expectCloudError(.diverged) {
                _ = try await cloud.entries(in: .cloudDocs, after: position, limit: 0)
            }
        }
    }

    @Test("A writer that is far behind finds the end of the log")
    func farBehind() async throws {
        try await withFolder { folder in
            let path = folder.appending("cloud")
            let cloud = try await newCloud(path)
            _ = try await cloud.append([1], to: .cloudDocs)
            try extend(path, to: 2500)
            #expect(try await cloud.append([2], to: .cloudDocs) == LogSequence(2501))
        }
    }

    @Test("A folder for entries that were never written does not hide the end of the log")
    func emptyShard() async throws {
        try await withFolder { folder in
            let path = folder.appending("cloud")
            _ = try await newCloud(path).append([1], to: .cloudDocs)
            try extend(path, to: 999)
            try #require(run(["mkdir", path.appending("containers/CloudDocs/log/000001").string]))
            let fresh = backend(path)
            _ = try await fresh.connect(create: false)
            #expect(try await fresh.append([2], to: .cloudDocs) == LogSequence(1000))
        }
    }
}
