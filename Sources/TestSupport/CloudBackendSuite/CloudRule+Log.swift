import CloudModel
import CloudStorage
import Cryptography
import Testing

extension CloudRule {
    static let log = [
        CloudRule("entries are numbered from 1 in the order of their appends") { cloud in
            let (one, other, container) = try await cloud.twoDevices()
            for number in UInt8(1)...20 {
                let sequence = try await (number % 3 == 0 ? other : one).append([number], to: container)
                #expect(sequence == LogSequence(UInt64(number)))
            }
            let records = try await other.wholeLog(of: container)
            #expect(records.map(\.sequence) == (1...20).map { LogSequence($0) })
            #expect(records.map(\.payload) == (1...20).map { [$0] })
        },
        CloudRule("an entry keeps its bytes, for any content and length") { cloud in
            let (one, other, container) = try await cloud.twoDevices()
            var generator = SystemRandomNumberGenerator()
            let payloads: [[UInt8]] = [
                [0], Array(0...255), [UInt8](repeating: 0, count: 70_000),
                (0..<300_000).map { _ in UInt8.random(in: 0...255, using: &generator) },
            ]
            for payload in payloads { _ = try await one.append(payload, to: container) }
            #expect(try await other.wholeLog(of: container).map(\.payload) == payloads)
        },
        CloudRule("a payload that is appended again is another entry") { cloud in
            let (one, other, container) = try await cloud.twoDevices()
            #expect(try await one.append([1], to: container) == LogSequence(1))
            #expect(try await other.append([1], to: container) == LogSequence(2))
        },
        CloudRule("entries are returned in pages, after any position") { cloud in
            let (one, other, container) = try await cloud.twoDevices()
            for number in UInt8(1)...10 { _ = try await one.append([number], to: container) }
            func page(after position: UInt64, _ limit: Int) async throws -> [UInt8] {
                try await other.entries(in: container, after: LogSequence(position), limit: limit).flatMap(\.payload)
            }
            #expect(try await page(after: 0, 4) == [1, 2, 3, 4])
            #expect(try await page(after: 4, 4) == [5, 6, 7, 8])
            #expect(try await page(after: 8, 4) == [9, 10])
            #expect(try await page(after: 10, 4) == [])
        },
        CloudRule("appends of other devices move the end of the log") { cloud in
            let (one, other, container) = try await cloud.twoDevices()
            #expect(try await other.entries(in: container, after: .zero, limit: 10).isEmpty)
            for number in UInt64(1)...5 {
                _ = try await one.append([7], to: container)
                let new = try await other.entries(in: container, after: LogSequence(number - 1), limit: 10)
                #expect(new.map(\.sequence) == [LogSequence(number)])
            }
        },
        CloudRule("a log that ends before the requested position has diverged") { cloud in
            let (one, _, container) = try await cloud.twoDevices()
            _ = try await one.append([1], to: container)
            for position in [2, 3, 1_000_000, UInt64.max] {
                await expectCloudError(.diverged) {
                    _ = try await one.entries(in: container, after: LogSequence(position), limit: 10)
                }
            }
        },
        CloudRule("entries are returned with their positions, by which the log is recognised") { cloud in
            let (one, other, container) = try await cloud.twoDevices()
            var position = LogPosition.start
            for number in UInt8(1)...5 {
                let payload = [number, 7]
                #expect(
                    try await one.append(payload, to: container, after: position) == LogSequence(UInt64(number)))
                let new = try await other.entries(in: container, after: position, limit: 10)
                position = position.following(payload)
                #expect(new == [LogRecord(position, payload)])
                #expect(try await other.entries(in: container, after: position, limit: 10).isEmpty)
            }
        },
        CloudRule("a position of another history is refused by reads and appends, at the end and before it") { cloud in
            let (one, other, container) = try await cloud.twoDevices()
            for number in UInt8(1)...5 { _ = try await one.append([number], to: container) }
            for number in UInt64(1)...7 {
                let foreign = LogPosition(LogSequence(number), Digest.zero.chained([9]))
                await expectCloudError(.diverged) {
                    _ = try await other.entries(in: container, after: foreign, limit: 10)
                }
                await expectCloudError(.diverged) { _ = try await other.append([9], to: container, after: foreign) }
            }
            #expect(try await one.wholeLog(of: container).map(\.payload) == (1...5).map { [$0] })
        },
        CloudRule("with the limit 0 a call only asks whether the log has a position") { cloud in
            let (one, other, container) = try await cloud.twoDevices()
            for number in UInt8(1)...3 { _ = try await one.append([number], to: container) }
            let log = try await one.wholeLog(of: container)
            for position in [.start] + log.map(\.position) {
                #expect(try await other.entries(in: container, after: position, limit: 0).isEmpty)
            }
            for number in UInt64(1)...4 {
                let foreign = LogPosition(LogSequence(number), Digest.zero.chained([9]))
                await expectCloudError(.diverged) {
                    _ = try await other.entries(in: container, after: foreign, limit: 0)
                }
            }
        },
        CloudRule("a device that is behind appends after its position, and the digests follow all entries") { cloud in
            let (one, other, container) = try await cloud.twoDevices()
            _ = try await one.append([1], to: container)
            let behind = LogPosition.start.following([1])
            for number in UInt8(2)...4 { _ = try await one.append([number], to: container) }
            #expect(try await other.append([5], to: container, after: behind) == LogSequence(5))
            let records = try await one.wholeLog(of: container)
            var position = LogPosition.start
            for record in records {
                position = position.following(record.payload)
                #expect(record.position == position)
            }
            #expect(records.count == 5)
        },
    ]

    static let concurrency = [
        CloudRule("concurrent appends of many tasks and devices form one log without gaps, each entry once") { cloud in
            let (one, other, container) = try await cloud.twoDevices()
            let third = try await cloud.device()
            let placed = try await withThrowingTaskGroup(of: (LogSequence, [UInt8]).self) { group in
                for number in UInt8(0)..<90 {
                    group.addTask {
                        let payload = [number, 1, 2, 3]
                        return (try await [one, other, third][Int(number) % 3].append(payload, to: container), payload)
                    }
                }
                return try await group.reduce(into: [LogSequence: [UInt8]]()) { $0[$1.0] = $1.1 }
            }
            #expect(placed.count == 90)
            let records = try await third.wholeLog(of: container)
            #expect(records.map(\.sequence) == (1...90).map { LogSequence($0) })
            // Each append returned the position of its entry.
            #expect(records.allSatisfy { placed[$0.sequence] == $0.payload })
        },
        CloudRule("a reader concurrent with writers sees a growing prefix, never a gap") { cloud in
            let (one, other, container) = try await cloud.twoDevices()
            let reader = try await cloud.device()
            async let writing: Void = withThrowingTaskGroup(of: Void.self) { group in
                for number in UInt8(0)..<60 {
                    group.addTask { _ = try await [one, other][Int(number) % 2].append([number], to: container) }
                }
                try await group.waitForAll()
            }
            var cursor = LogSequence.zero
            while cursor < LogSequence(60) {
                for record in try await reader.entries(in: container, after: cursor, limit: 5) {
                    #expect(record.sequence == cursor.next)
                    cursor = record.sequence
                }
                await Task.yield()
            }
            try await writing
        },
    ]
}
