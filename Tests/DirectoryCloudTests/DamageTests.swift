import CloudModel
import CloudStorage
import DirectoryCloud
import SystemPackage
import TestSupport
import Testing

@Suite("Damage in the cloud's directory is reported, and repaired where it can be")
struct DamageTests {
    @Test("An entry truncated at any length, or with any flipped bit, is damaged, and the message names its file")
    func entry() async throws {
        try await withFolder { folder in
            let cloud = try await newCloud(folder.appending("cloud"))
            _ = try await cloud.append([1, 2, 3, 4], to: .cloudDocs)
            let file = folder.appending("cloud").entry(1)
            let whole = try file.read()
            var versions = (0..<whole.count).map { Array(whole.prefix($0)) }
            for bit in 0..<whole.count * 8 {
                var changed = whole
                changed[bit / 8] ^= 1 << (bit % 8)
                versions.append(changed)
            }
            for bytes in versions {
                try file.write(bytes)
                do {
                    let records = try await cloud.entries(in: .cloudDocs, after: .zero, limit: 9)
                    Issue.record("\(bytes) was taken for \(records)")
                } catch let error as CloudError {
                    // A changed version number may also be the version number of a newer program.
                    #expect([.damaged, .tooNew].contains(error.code))
                    #expect(error.message.contains(file.string))
                }
            }
            try file.write(whole)
            #expect(try await cloud.wholeLog(of: .cloudDocs).map(\.payload) == [[1, 2, 3, 4]])
        }
    }

    @Test("A log that lost an entry in the middle has diverged at that entry and does not end there")
    func gap() async throws {
        try await withFolder { folder in
            let cloud = try await newCloud(folder.appending("cloud"))
            for number in UInt8(1)...3 { _ = try await cloud.append([number], to: .cloudDocs) }
            run(["rm", folder.appending("cloud").entry(2).string])
            let fresh = backend(folder.appending("cloud"))
            _ = try await fresh.connect(create: false)
            #expect(try await fresh.entries(in: .cloudDocs, after: .zero, limit: 1).map(\.payload) == [[1]])
            await expectCloudError(.diverged) { _ = try await fresh.entries(in: .cloudDocs, after: .zero, limit: 9) }
            await expectCloudError(.diverged) {
                _ = try await fresh.entries(in: .cloudDocs, after: LogSequence(1), limit: 9)
            }
        }
    }

    @Test("No entry is appended to a log that has become shorter")
    func shortened() async throws {
        try await withFolder { folder in
            let path = folder.appending("cloud")
            let cloud = try await newCloud(path)
            for number in UInt8(1)...3 { _ = try await cloud.append([number], to: .cloudDocs) }
            run(["rm", path.entry(3).string])
            await expectCloudError(.diverged) { _ = try await cloud.append([4], to: .cloudDocs) }
            await expectCloudError(.diverged) {
                _ = try await cloud.entries(in: .cloudDocs, after: LogSequence(2), limit: 9)
            }
            #expect(!path.entry(3).isThere && !path.entry(4).isThere)
        }
    }

    @Test("A truncated chunk is missing and damaged until it is put again")
    func truncatedChunk() async throws {
        try await withFolder { folder in
            let path = folder.appending("cloud")
            let cloud = try await newCloud(path)
            let id = try chunkID(7)
            let frame = [UInt8](repeating: 9, count: 5000)
            try await cloud.putChunk(id, frame: frame, in: .cloudDocs)
            _ = try await cloud.append([1], to: .cloudDocs)
            let whole = try path.chunk(7).read()
            for length in [0, 10, 20, 4096, whole.count - 1] {
                try path.chunk(7).write(Array(whole.prefix(length)))
                #expect(try await cloud.missing([id], in: .cloudDocs) == [id])
                await expectCloudError(.damaged) { _ = try await cloud.getChunk(id, in: .cloudDocs) }
                try await cloud.putChunk(id, frame: frame, in: .cloudDocs)
                #expect(try await cloud.missing([id], in: .cloudDocs).isEmpty)
                #expect(try await cloud.getChunk(id, in: .cloudDocs) == frame)
            }
        }
    }

    @Test("An append that refers to a chunk that was lost after its put fails", arguments: [1, 40])
    func lostChunk(count: UInt8) async throws {
        try await withFolder { folder in
            let path = folder.appending("cloud")
            let cloud = try await newCloud(path)
            for byte in 1...count { try await cloud.putChunk(chunkID(byte), frame: [byte], in: .cloudDocs) }
            run(["rm", try path.chunk(1).string])
            // Each append is refused until the chunk is uploaded again.
            for _ in 0..<2 { await expectCloudError(.damaged) { _ = try await cloud.append([1], to: .cloudDocs) } }
            #expect(try await cloud.wholeLog(of: .cloudDocs).isEmpty)
            #expect(try await cloud.missing([chunkID(1)], in: .cloudDocs) == [chunkID(1)])
            try await cloud.putChunk(chunkID(1), frame: [1], in: .cloudDocs)
            #expect(try await cloud.append([1], to: .cloudDocs) == LogSequence(1))
        }
    }

    @Test("After a chunk was lost, reconnecting allows appends that do not need it")
    func startAgain() async throws {
        try await withFolder { folder in
            let path = folder.appending("cloud")
            let cloud = try await newCloud(path)
            try await cloud.putChunk(chunkID(1), frame: [1], in: .cloudDocs)
            run(["rm", try path.chunk(1).string])
            await expectCloudError(.damaged) { _ = try await cloud.append([1], to: .cloudDocs) }
            _ = try await cloud.connect(create: false)
            #expect(try await cloud.append([1], to: .cloudDocs) == LogSequence(1))
            #expect(try await cloud.missing([chunkID(1)], in: .cloudDocs) == [chunkID(1)])
        }
    }
}
