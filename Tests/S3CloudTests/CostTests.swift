import Basics
import CloudModel
import CloudStorage
import Cryptography
import S3Double
import Synchronization
import TestSupport
import Testing

@testable import S3Cloud

/// The counts behind the bucket costs in docs/BACKENDS.md.
@Suite("Requests to a bucket")
struct CostTests {
    @Test("A save is one chunk, one entry and one bell, and looks for the chunk once", .timeLimit(.minutes(5)))
    func save() async throws {
        try await withCloud { cloud in
            let device = try await cloud.device()
            _ = try await device.append([1], to: .cloudDocs)
            await device.finishBackgroundWork()
            let requests = try await cloud.requests {
                let missing = try await device.missing([chunk(1).id], in: .cloudDocs)
                #expect(missing.count == 1)
                try await device.putChunk(chunk(1), in: .cloudDocs)
                _ = try await device.append([2], to: .cloudDocs, after: LogPosition.start.following([1]))
                await device.finishBackgroundWork()
            }
            #expect(requests == ["HEAD chunks": 1, "PUT chunks": 1, "PUT log": 1, "PUT bell": 1])
        }
    }

    @Test(
        "To ask whether the log has a position costs a small GET in place of a HEAD, so looks and appends are as many requests as without digests",
        .timeLimit(.minutes(5)))
    func positions() async throws {
        let time = StoppedTime()
        try await withCloud { cloud in
            let device = try await cloud.device(time: time)
            let other = try await cloud.device(time: time)
            var position = LogPosition.start
            func append(_ byte: UInt8) async throws -> [String: Int] {
                try await cloud.requests {
                    _ = try await device.append([byte], to: .cloudDocs, after: position)
                    await device.finishBackgroundWork()
                    position = position.following([byte])
                }
            }
            _ = try await append(1)
            #expect(try await append(2) == ["PUT log": 1, "PUT bell": 1], "within ten seconds of the last look")
            let look = try await cloud.requests {
                let entries = try await device.entries(in: .cloudDocs, after: position, limit: 10)
                #expect(entries.isEmpty)
            }
            #expect(look == ["GET log": 2], "the next entry, and the header of the last: as many as with a HEAD of it")
            time.advance(by: .seconds(11))
            #expect(try await append(3) == ["GET log": 1, "PUT log": 1, "PUT bell": 1])
            // The loser of a race reads the header of the winner's entry: an extra request for digests.
            let end = position
            _ = try await other.entries(in: .cloudDocs, after: .start, limit: 10)
            _ = try await other.entries(in: .cloudDocs, after: end, limit: 10)
            await other.finishBackgroundWork()
            _ = try await append(4)
            let race = try await cloud.requests {
                _ = try await other.append([5], to: .cloudDocs, after: end)
                await other.finishBackgroundWork()
            }
            #expect(race["PUT log"] == 2 && race["GET log"] ?? 0 <= 2, "\(race)")
        }
    }

    @Test(
        "Small chunks that are put together are one request each, under the epoch that was asked for",
        .timeLimit(.minutes(5)))
    func together() async throws {
        try await withCloud { cloud in
            let device = try await cloud.device()
            let chunks = (1...40).map { chunk($0) }
            let requests = try await cloud.requests {
                try await device.putChunks(chunks, in: .cloudDocs)
                try await device.putChunks(chunks, epoch: 3, in: .cloudDocs)
            }
            #expect(requests == ["PUT chunks": 80])
            let keys = chunks.flatMap { [ChunkKey($0.id), ChunkKey($0.id, epoch: 3)] }
            let present = try await device.present(keys, in: .cloudDocs)
            #expect(present == Set(keys))
        }
    }

    @Test("An idle hour is 240 looks at the bell, and a look at each log every five minutes", .timeLimit(.minutes(5)))
    func idle() async throws {
        let clock = ManualClock()
        try await withCloud { cloud in
            let device = try await cloud.device(clock: clock, schedule: BellSchedule())
            _ = try await device.append([1], to: .cloudDocs)
            await device.finishBackgroundWork()
            let events = device.events()
            await clock.untilSleeping(before: .seconds(15))
            let requests = try await cloud.requests {
                for look in 1...240 {
                    clock.advance(by: .seconds(15))
                    await clock.untilSleeping(before: .seconds(15 * (look + 1)))
                }
            }
            withExtendedLifetime(events) {}
            // An hourly listing finds containers whose maker died before it rang.
            #expect(requests == ["GET bell": 240, "HEAD log": 12, "GET (list)": 1])
        }
    }

    @Test("A device that missed many entries finds the end of the log in few requests", .timeLimit(.minutes(5)))
    func catchingUp() async throws {
        let clock = ManualClock()
        try await withCloud { cloud in
            let device = try await cloud.device(clock: clock, schedule: BellSchedule())
            let writer = try await cloud.device()
            let events = device.events()
            await clock.untilSleeping(before: .seconds(15))
            try cloud.fill(to: 300, segments: [])
            _ = try await writer.append([1], to: .cloudDocs)
            await writer.finishBackgroundWork()
            let requests = try await cloud.requests {
                clock.advance(by: .seconds(15))
                await clock.untilSleeping(before: .seconds(16))
            }
            withExtendedLifetime(events) {}
            #expect(requests == ["GET bell": 1, "HEAD log": 8, "GET (list)": 1])
        }
    }

    @Test("For five minutes after a change the bell is looked at every second, then every 15")
    func schedule() {
        var schedule = BellSchedule()
        #expect(schedule.pause(at: .seconds(10)) == .seconds(15))
        schedule.change(at: .seconds(10))
        #expect(schedule.pause(at: .seconds(309)) == .seconds(1))
        #expect(schedule.pause(at: .seconds(310)) == .seconds(15))
    }
}

/// A time advanced only by a test.
private final class StoppedTime: TimeSource {
    private let current = Mutex(Timestamp(seconds: 1_900_000_000))
    func now() -> Timestamp { current.withLock { $0 } }
    func advance(by duration: Duration) { current.withLock { $0 = $0.adding(duration) } }
}
