import CloudModel
import CloudStorage
import Cryptography
import S3Client
import S3Double
import TestSupport
import Testing

@testable import S3Cloud

@Suite("Failures of a store")
struct FailureTests {
    @Test(
        "An append whose request is refused for a moment is sent again under the same number", .timeLimit(.minutes(5)),
        arguments: [
            S3Fault.refusal(status: 409, code: "ConditionalRequestConflict"),
            .refusal(status: 503, code: "SlowDown"), .refusal(status: 500, code: "InternalError"), .lostRequest,
        ])
    func refused(_ fault: S3Fault) async throws {
        try await withCloud { cloud in
            let device = try await cloud.device()
            cloud.double.script(fault, for: "PUT", times: 2)
            let sequence = try await device.append([1], to: .cloudDocs)
            #expect(sequence == LogSequence(1))
            let log = try await device.wholeLog()
            #expect(log == [[1]])
        }
    }

    @Test("An append whose reply is lost after the effect is one entry", .timeLimit(.minutes(5)))
    func lostReply() async throws {
        try await withCloud { cloud in
            let device = try await cloud.device()
            cloud.double.script(.lostReply, for: "PUT", times: 2)
            let sequence = try await device.append([1], to: .cloudDocs)
            #expect(sequence == LogSequence(1))
            let log = try await device.wholeLog()
            #expect(log == [[1]])
        }
    }

    @Test(
        "An append that failed after its effect and is made again by the engine is one entry", .timeLimit(.minutes(5)))
    func lostForLong() async throws {
        try await withCloud { cloud in
            let device = try await cloud.device()
            // As many as the client tries.
            cloud.double.script(.lostReply, for: "PUT", times: 3)
            _ = await expect(.offline) { _ = try await device.append([1], to: .cloudDocs) }
            let sequence = try await device.append([1], to: .cloudDocs)
            #expect(sequence == LogSequence(1))
            let log = try await device.wholeLog()
            #expect(log == [[1]])
        }
    }

    @Test("A store that throttles for long is an error that is retried later", .timeLimit(.minutes(5)))
    func throttled() async throws {
        try await withCloud { cloud in
            let device = try await cloud.device()
            cloud.double.script(.refusal(status: 503, code: "SlowDown"), for: "PUT", times: 5)
            let message = await expect(.failed) { _ = try await device.append([1], to: .cloudDocs) }
            #expect(message.contains("asks for fewer requests"))
            let sequence = try await device.append([1], to: .cloudDocs)
            #expect(sequence == LogSequence(1))
        }
    }

    @Test("A slow link delivers chunks and entries whole", .timeLimit(.minutes(5)))
    func slow() async throws {
        try await withCloud { cloud in
            let device = try await cloud.device()
            let frame = [UInt8](repeating: 7, count: 4096)
            try await device.putChunk(chunk(1, bytes: frame), in: .cloudDocs)
            _ = try await device.append([1], to: .cloudDocs)
            cloud.double.script(.slow(piece: 512, pause: .milliseconds(1)), for: "GET")
            let read = try await device.getChunk(chunk(1).id, in: .cloudDocs)
            #expect(read == frame)
            cloud.double.script(.cut(after: 10), for: "GET")
            let log = try await device.wholeLog()
            #expect(log == [[1]])
        }
    }

    @Test(
        "A device that dies between its entry and the bell is noticed by the next look at all logs",
        .timeLimit(.minutes(5)))
    func noBell() async throws {
        try await withCloud { cloud in
            let reader = try await cloud.device(
                schedule: BellSchedule(rest: .milliseconds(5), active: .milliseconds(5), patrol: .milliseconds(50)))
            var events = reader.events().makeAsyncIterator()
            // The first look reports the existing contents.
            while let event = await events.next(), event != .containersChanged {}
            let entry = try StoredFrame.entry([1], digest: Digest.zero.chained([1])).header + [1]
            cloud.double.set("\(cloud.location.prefix)/containers/CloudDocs/log/000000001", entry)
            while try await reader.wholeLog().isEmpty, await events.next() != nil {}
            let log = try await reader.wholeLog()
            #expect(log == [[1]])
        }
    }

    @Test("A deleted chunk is missing, and can be put again", .timeLimit(.minutes(5)))
    func deletedChunk() async throws {
        try await withCloud { cloud in
            let device = try await cloud.device()
            try await device.putChunk(chunk(1), in: .cloudDocs)
            let key = try #require(cloud.double.objects.keys.first { $0.contains("/chunks/") })
            cloud.double.set(key, nil)
            let missing = try await device.missing([chunk(1).id], in: .cloudDocs)
            #expect(missing == [chunk(1).id])
            _ = await expect(.notFound) { _ = try await device.getChunk(chunk(1).id, in: .cloudDocs) }
            try await device.putChunk(chunk(1), in: .cloudDocs)
            let frame = try await device.getChunk(chunk(1).id, in: .cloudDocs)
            #expect(frame == chunk(1).frame)
        }
    }

    @Test("A chunk with wrong bytes is replaced under all its keys once it is distrusted", .timeLimit(.minutes(5)))
    func corruptChunk() async throws {
        try await withCloud { cloud in
            let device = try await cloud.device()
            try await device.putChunk(chunk(1), in: .cloudDocs)
            for (key, _) in cloud.double.objects where key.contains("/chunks/") { cloud.double.set(key, [0]) }
            try await device.distrust([chunk(1).id], in: .cloudDocs)
            let missing = try await device.missing([chunk(1).id], in: .cloudDocs)
            #expect(missing == [chunk(1).id])
            try await device.putChunk(chunk(1), epoch: 3, in: .cloudDocs)
            let other = try await cloud.device()
            let frame = try await other.getChunk(chunk(1).id, in: .cloudDocs)
            #expect(frame == chunk(1).frame)
            let present = try await device.present([ChunkKey(chunk(1).id, epoch: 3)], in: .cloudDocs)
            #expect(present.count == 1)
        }
    }

    @Test("A chunk that is there under a later epoch only is found", .timeLimit(.minutes(5)))
    func laterEpoch() async throws {
        try await withCloud { cloud in
            let device = try await cloud.device()
            for epoch in [UInt64(2), 10] { try await device.putChunk(chunk(1), epoch: epoch, in: .cloudDocs) }
            let frame = try await device.getChunk(chunk(1).id, in: .cloudDocs)
            #expect(frame == chunk(1).frame)
            let stored = try await device.storedChunks(in: .cloudDocs, after: nil, limit: 10)
            #expect(stored.map(\.key.epoch) == [2, 10])
            let rest = try await device.storedChunks(in: .cloudDocs, after: stored[0].key, limit: 10)
            #expect(rest.map(\.key.epoch) == [10])
            try await device.remove(stored.map(\.key), in: .cloudDocs)
            try await device.remove(stored.map(\.key), in: .cloudDocs)
            _ = await expect(.notFound) { _ = try await device.getChunk(chunk(1).id, in: .cloudDocs) }
        }
    }

    @Test("A damaged entry is damage, with the object's name", .timeLimit(.minutes(5)))
    func damagedEntry() async throws {
        try await withCloud { cloud in
            let device = try await cloud.device()
            _ = try await device.append([1, 2, 3], to: .cloudDocs)
            let key = try #require(cloud.double.objects.keys.first { $0.contains("/log/") })
            var bytes = try #require(cloud.double.objects[key])
            bytes[bytes.count - 1] ^= 1
            cloud.double.set(key, bytes)
            let other = try await cloud.device()
            let message = await expect(.damaged) { _ = try await other.wholeLog() }
            #expect(message.contains("log/000000001"))
        }
    }

    @Test("A log that lost its last entry has diverged for a writer too, which leaves no gap", .timeLimit(.minutes(5)))
    func shortened() async throws {
        try await withCloud { cloud in
            let device = try await cloud.device(time: SteppingTime())
            for number in UInt8(1)...3 { _ = try await device.append([number], to: .cloudDocs) }
            let last = try #require(cloud.double.objects.keys.first { $0.hasSuffix("log/000000003") })
            cloud.double.set(last, nil)
            _ = await expect(.diverged) { _ = try await device.append([4], to: .cloudDocs) }
            #expect(cloud.double.objects.keys.count { $0.contains("/log/") } == 2)
        }
    }

    @Test("A cloud whose objects are gone is offline, and another one in its place is foreign", .timeLimit(.minutes(5)))
    func replaced() async throws {
        try await withCloud { cloud in
            let device = try await cloud.device()
            for key in cloud.double.objects.keys { cloud.double.set(key, nil) }
            _ = await expect(.offline) { _ = try await device.containers() }
            _ = await expect(.offline) { _ = try await device.connect(create: false) }
            _ = try await cloud.device()
            _ = await expect(.foreign) { _ = try await device.connect(create: false) }
        }
    }

    @Test("The end of a device waits until its bell was rung, and no longer than the limit", .timeLimit(.minutes(5)))
    func lastBell() async throws {
        let clock = ManualClock()
        try await withCloud { cloud in
            let device = try await cloud.device(clock: clock)
            let requests = try await cloud.requests {
                _ = try await device.append([1], to: .cloudDocs)
                await device.finishDeferredWork(within: .seconds(3))
            }
            #expect(requests["PUT bell"] == 1)
            cloud.double.script(.silence, for: "PUT")
            device.ring()
            async let end: Void = device.finishDeferredWork(within: .seconds(3))
            await clock.untilSleeping(before: .seconds(3))
            clock.advance(by: .seconds(3))
            await end
        }
    }
}
