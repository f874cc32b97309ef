import CloudModel
import CloudStorage
import Cryptography
import S3Client
import S3Double
import TestSupport
import Testing

@testable import S3Cloud

@Suite("Segments, and the end of a log", .serialized)
struct LogTests {
    @Test("A segment is read as it was written, and any change of it is refused")
    func coding() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        let payloads = (0..<1000).map { [UInt8](repeating: UInt8($0 % 251), count: $0 % 7) }
        let segment = LogSegment(index: 3, payloads: payloads)
        let bytes = try #require(try segment.encoded())
        #expect(try LogSegment(index: 3, parsing: bytes) == segment)
        // The first segment has 999 entries.
        #expect(throws: StoredFrame.Problem.self) { try LogSegment(index: 0, parsing: bytes) }
        for _ in 0..<300 {
            var changed = bytes
            let index = Int.random(in: 0..<changed.count, using: &generator)
            switch UInt8.random(in: 0...3, using: &generator) {
            case 0: changed[index] ^= UInt8.random(in: 1...255, using: &generator)
            case 1: changed.remove(at: index)
            case 2: changed.insert(.random(in: 0...255, using: &generator), at: index)
            default: changed.removeSubrange(index...)
            }
            guard changed != bytes else { continue }
            // Refusing unreadable bytes is sufficient for a reader.
            #expect((try? LogSegment(index: 3, parsing: changed)) == nil, "seed \(seed)")
        }
    }

    @Test("A segment that would be too long is not made")
    func tooLong() throws {
        let payloads = [[UInt8]](repeating: [UInt8](repeating: 1, count: 40_000), count: 1000)
        let bytes = try LogSegment(index: 1, payloads: payloads).encoded()
        #expect(bytes == nil)
    }

    @Test("Names of keys are read as they were written, and nothing else is one")
    func keys() {
        let layout = S3Layout(prefix: "p")
        let key = ChunkKey(chunk(7).id, epoch: 12)
        #expect(layout.chunkKey(layout.chunk(key, in: .cloudDocs), in: .cloudDocs) == key)
        let base = layout.chunk(ChunkKey(chunk(7).id), in: .cloudDocs)
        #expect(layout.chunkKey(base, in: .cloudDocs) == ChunkKey(chunk(7).id))
        for other in ["\(base).", "\(base).1", "\(base).0000000000", "\(base).0000000001.0000000001", "p/x", ""] {
            #expect(layout.chunkKey(other, in: .cloudDocs) == nil)
        }
        #expect(layout.entryNumber("p/containers/CloudDocs/log/000000012", in: .cloudDocs) == 12)
        for other in ["12", "000000000", "00000012", "+00000012", "0000000012"] {
            #expect(layout.entryNumber("p/containers/CloudDocs/log/\(other)", in: .cloudDocs) == nil)
        }
    }

    @Test("A new device reads a long log in few requests, and in the same order", .timeLimit(.minutes(5)))
    func newDevice() async throws {
        try await withCloud { cloud in
            let writer = try await cloud.device()
            try cloud.fill(to: 2463, segments: [0, 1])
            let reader = try await cloud.device()
            let before = cloud.double.seen.count
            var log: [LogRecord] = []
            while true {
                let more = try await reader.entries(in: .cloudDocs, after: log.last?.sequence ?? .zero, limit: 64)
                if more.isEmpty { break }
                log += more
            }
            #expect(log.map(\.sequence.value) == Array(1...2463))
            #expect(log.allSatisfy { $0.payload == cloud.payload($0.sequence.value) })
            let seen = cloud.double.seen.dropFirst(before)
            #expect(seen.count { $0.method == "GET" && $0.key.isEmpty } == 1)
            // Two segments, a look for the third, 464 entries, and a look beyond the end for each call at most.
            #expect(seen.count { $0.method == "GET" } < 2 + 1 + 464 + 32)
            let sequence = try await writer.append([1], to: .cloudDocs)
            #expect(sequence == LogSequence(2464))
        }
    }

    @Test(
        "A segment that is missing or damaged costs time only, and the reader writes a missing one",
        .timeLimit(.minutes(5)), arguments: [nil, [1, 2, 3]] as [[UInt8]?])
    func healing(_ bytes: [UInt8]?) async throws {
        try await withCloud { cloud in
            _ = try await cloud.device()
            try cloud.fill(to: 1010, segments: [0])
            let (key, whole) = try #require(cloud.double.objects.first { $0.key.contains("/segments/") })
            cloud.double.set(key, bytes)
            let reader = try await cloud.device()
            let log = try await reader.wholeLog()
            #expect(log == (1...1010).map { cloud.payload(UInt64($0)) })
            await reader.finishBackgroundWork()
            #expect(cloud.double.objects[key] == bytes ?? whole)
        }
    }

    @Test("The writer of a segment's last entry writes the segment", .timeLimit(.minutes(5)))
    func writing() async throws {
        try await withCloud { cloud in
            let writer = try await cloud.device()
            try cloud.fill(to: 998, segments: [])
            _ = try await writer.append(cloud.payload(999), to: .cloudDocs)
            await writer.finishBackgroundWork()
            let key = try #require(cloud.double.objects.keys.first { $0.contains("/segments/") })
            let bytes = try #require(cloud.double.objects[key])
            let segment = try LogSegment(index: 0, parsing: bytes)
            #expect(segment.entries.map(\.payload) == (1...999).map { cloud.payload(UInt64($0)) })
        }
    }

    @Test(
        "A writer that knows nothing finds the end of a log of any length", .timeLimit(.minutes(5)),
        arguments: [
            UInt64(0), 1, 999, 1000, 1001, 3777,
        ])
    func end(_ length: UInt64) async throws {
        try await withCloud { cloud in
            let writer = try await cloud.device()
            try cloud.fill(to: length, segments: [])
            let sequence = try await writer.append([1], to: .cloudDocs)
            #expect(sequence == LogSequence(length + 1))
        }
    }

    @Test("A writer that is behind goes on after the last entry", .timeLimit(.minutes(5)))
    func behind() async throws {
        try await withCloud { cloud in
            let writer = try await cloud.device()
            _ = try await writer.append([1], to: .cloudDocs)
            try cloud.fill(to: 300, segments: [])
            let requests = try await cloud.requests {
                let sequence = try await writer.append([2], to: .cloudDocs)
                #expect(sequence == LogSequence(301))
                await writer.finishBackgroundWork()
            }
            #expect(requests["PUT log", default: 0] < 8)
        }
    }
}

extension TestCloud {
    func payload(_ number: UInt64) -> [UInt8] { Array("entry \(number)".utf8) }

    /// Puts entries up to a number into the store, as remote devices would have, and some segments.
    func fill(to last: UInt64, segments: [UInt64]) throws {
        let layout = S3Layout(prefix: location.prefix)
        let end = segments.map(LogSegment.last).max() ?? 0
        guard max(last, end) > 0 else { return }
        var digest = Digest.zero
        var entries: [LoggedEntry] = []
        for number in 1...max(last, end) {
            let stored = double.objects[layout.entry(.cloudDocs, number)].map {
                Array($0.dropFirst(StoredFrame.headerSize(of: .entry)))
            }
            let payload = stored ?? payload(number)
            digest = digest.chained(payload)
            entries.append(LoggedEntry(digest: digest, payload: payload))
            guard stored == nil, number <= last else { continue }
            let header = try StoredFrame.entry(payload, digest: digest).header
            double.set(layout.entry(.cloudDocs, number), header + payload)
        }
        for index in segments {
            let part = entries[Int(LogSegment.first(of: index) - 1)..<Int(LogSegment.last(of: index))]
            double.set(
                layout.segment(.cloudDocs, index), try LogSegment(index: index, entries: Array(part)).encoded())
        }
    }
}

extension LogSegment {
    /// A log segment beginning with it.
    fileprivate init(index: UInt64, payloads: [[UInt8]]) {
        var digest = Digest.zero
        let entries = payloads.map { payload in
            digest = digest.chained(payload)
            return LoggedEntry(digest: digest, payload: payload)
        }
        self.init(index: index, entries: entries)
    }
}
