import CloudModel
import CloudStorage
import SystemPackage
import TestSupport
import Testing

@testable import DirectoryCloud

@Suite("Chunks of several epochs in the cloud's directory")
struct ChunkKeyTests {
    private func put(_ byte: UInt8, epoch: UInt64, in cloud: DirectoryBackend) async throws {
        let chunk = OutgoingChunk(id: try chunkID(byte), kind: .data, frame: [UInt8](repeating: byte, count: 50))
        try await cloud.putChunk(chunk, epoch: epoch, in: .cloudDocs)
    }

    @Test("The epoch of a key follows the digits of its file's name, from epoch 1 on")
    func names() async throws {
        try await withFolder { folder in
            let cloud = try await newCloud(folder.appending("cloud"))
            for epoch in [0, 1, 12] as [UInt64] { try await put(7, epoch: epoch, in: cloud) }
            let base = try folder.appending("cloud").chunk(7)
            for suffix in ["", ".1", ".12"] { #expect(FilePath(base.string + suffix).isThere) }
        }
    }

    @Test("Every key comes back from its file's name, and no other name is a key")
    func coding() throws {
        var random = SeededGenerator(seed: 5)
        for _ in 0..<500 {
            let id = ChunkID(words: (random.next(), random.next(), random.next(), random.next()))
            let key = ChunkKey(id, epoch: random.next() >> UInt64.random(in: 0...63, using: &random))
            let path = CloudLayout.chunk(ChunkPlace(container: .cloudDocs, key: key)).split(separator: "/")
            #expect(CloudLayout.chunkKey(shard: String(path[3]), name: String(path[4])) == key)
        }
        let digits = String(repeating: "ab", count: 31)
        #expect(CloudLayout.chunkKey(shard: "ab", name: digits) != nil)
        let wrong = [
            "", ".", ".1", String(digits.dropLast()), digits + "a", digits + "aa", digits.uppercased(), digits + ".",
            digits + ".0", digits + ".01", digits + ".+1", digits + ".-1", digits + ".1.2", digits + ".x",
            digits + ". 1",
            digits + ".18446744073709551616", digits + "~", String(digits.dropLast()) + "g",
        ]
        for name in wrong { #expect(CloudLayout.chunkKey(shard: "ab", name: name) == nil, "\(name)") }
    }

    @Test("A listing leaves out what is no chunk, however much of it there is")
    func foreignFiles() async throws {
        try await withFolder { folder in
            let path = folder.appending("cloud")
            let cloud = try await newCloud(path)
            for byte in UInt8(1)...3 { try await put(byte, epoch: UInt64(byte), in: cloud) }
            let base = try path.chunk(2)
            for number in 0..<20 { try FilePath(base.string + ".\(number)~").write([1]) }
            // Folders with the names of chunks: more than a page of them.
            for number in 10..<30 { run(["mkdir", base.string + ".\(number)"]) }
            try path.appending("containers/CloudDocs/chunks/note").write([1])
            for page in [1, 2, 100] {
                let listed = try await cloud.wholeListing(of: .cloudDocs, page: page)
                #expect(try listed.map(\.key) == (UInt8(1)...3).map { ChunkKey(try chunkID($0), epoch: UInt64($0)) })
                #expect(listed.map(\.bytes) == [70, 70, 70])
            }
        }
    }

    @Test("A truncated copy is not present, and the chunk is read from another one")
    func truncated() async throws {
        try await withFolder { folder in
            let path = folder.appending("cloud")
            let cloud = try await newCloud(path)
            for epoch in UInt64(0)...1 { try await put(7, epoch: epoch, in: cloud) }
            _ = try await cloud.append([1], to: .cloudDocs)
            let keys = [ChunkKey(try chunkID(7)), ChunkKey(try chunkID(7), epoch: 1)]
            let names = [try path.chunk(7), FilePath(try path.chunk(7).string + ".1")]
            let whole = try names[0].read()
            for (index, name) in names.enumerated() {
                try name.write(Array(whole.prefix(30)))
                #expect(try await cloud.present(keys, in: .cloudDocs) == [keys[1 - index]])
                #expect(try await cloud.getChunk(chunkID(7), in: .cloudDocs).count == 50)
                try name.write(whole)
            }
            for name in names { try name.write(Array(whole.prefix(30))) }
            await expectCloudError(.damaged) { _ = try await cloud.getChunk(chunkID(7), in: .cloudDocs) }
        }
    }

    @Test("A chunk that is put again after its bytes were found corrupt is good under each of its keys")
    func corrupt() async throws {
        try await withFolder { folder in
            let path = folder.appending("cloud")
            let cloud = try await newCloud(path)
            for epoch in UInt64(0)...2 { try await put(7, epoch: epoch, in: cloud) }
            _ = try await cloud.append([1], to: .cloudDocs)
            let name = try path.chunk(7)
            let whole = try name.read()
            try name.write(whole.dropLast() + [0])
            try await cloud.distrust([chunkID(7)], in: .cloudDocs)
            // The newest copy, which may not be the corrupt one.
            #expect(try await cloud.getChunk(chunkID(7), in: .cloudDocs) == [UInt8](repeating: 7, count: 50))
            try await put(7, epoch: 5, in: cloud)
            #expect(try name.read() == whole)
            #expect(try await cloud.wholeListing(of: .cloudDocs).map(\.key.epoch) == [0, 1, 2, 5])
        }
    }

    @Test("An append does not go through over a key that was lost after it was put or found", arguments: [false, true])
    func lost(found: Bool) async throws {
        try await withFolder { folder in
            let path = folder.appending("cloud")
            let cloud = try await newCloud(path)
            try await put(7, epoch: 1, in: cloud)
            try await put(8, epoch: 1, in: cloud)
            let keys = Set([ChunkKey(try chunkID(7), epoch: 1), ChunkKey(try chunkID(8), epoch: 1)])
            if found {
                _ = try await cloud.append([1], to: .cloudDocs)
                #expect(try await cloud.present(Array(keys), in: .cloudDocs) == keys)
            }
            run(["rm", try path.chunk(7).string + ".1"])
            await expectCloudError(.damaged) { _ = try await cloud.append([2], to: .cloudDocs) }
            // The other reached the disk.
            #expect(try await cloud.present(Array(keys), in: .cloudDocs) == [ChunkKey(chunkID(8), epoch: 1)])
            try await put(7, epoch: 1, in: cloud)
            _ = try await cloud.append([2], to: .cloudDocs)
        }
    }

    @Test("A cloud that is away is offline to a listing and to a removal, never empty")
    func away() async throws {
        try await withFolder { folder in
            let path = folder.appending("cloud")
            let cloud = try await newCloud(path)
            try await put(7, epoch: 1, in: cloud)
            try path.rename(to: folder.appending("away"))
            let key = ChunkKey(try chunkID(7), epoch: 1)
            await expectCloudError(.offline) { _ = try await cloud.storedChunks(in: .cloudDocs, after: nil, limit: 9) }
            await expectCloudError(.offline) { try await cloud.remove([key], in: .cloudDocs) }
            await expectCloudError(.offline) { _ = try await cloud.present([key], in: .cloudDocs) }
            try folder.appending("away").rename(to: path)
            #expect(try await cloud.present([key], in: .cloudDocs) == [key])
        }
    }
}
