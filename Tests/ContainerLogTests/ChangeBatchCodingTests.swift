import Basics
import CloudModel
import ContainerLog
import TestSupport
import Testing

@Suite("Encoding of log entries")
struct ChangeBatchCodingTests {
    private let sample = ChangeBatch(
        device: TestLog.a, deviceName: "desk", deviceSequence: 7, time: .minute(3),
        packages: [1, 2, 300].map { PackageVersion(.sample($0), VersionID(sequence: LogSequence($0), index: 200)) },
        collection: 300, keyEpoch: 1,
        changes: [
            .file(1, "x.txt", 10), .folder(2, "d"), .announcement(3, "n", size: 9),
            .create(
                .sample(4), parent: .root, name: "l", attributes: .sample(extended: ["user.z": [1], "user.a": []]),
                body: .symlink(target: [0x2E])),
            .edit(1, from: 10, to: 11, at: 5), .edit(1, from: nil, to: 12, at: -5), .move(1, to: .documents, "y"),
            .setAttributes(
                .sample(1),
                AttributeChanges(
                    permissions: 0o600, modified: .minute(1), extended: ["user.q": nil, "user.r": [2]])),
            .delete(1, 10), .delete(2),
            .resolve(.sample(1), versions: [VersionID(sequence: LogSequence(4), index: 2)]), .raiseRules(2),
            .collection(
                .proposed(epoch: 301, list: ContentReference(digest: .sample(3), size: 70_000, layout: .manifest))),
            .collection(.begun(epoch: 301)), .collection(.done(epoch: 1)),
            .setValue(key: "kéy", value: [0, 255], time: .minute(3)), .setValue(key: "k", value: nil, time: .zero),
        ])

    @Test("Every kind of change is decoded as it was encoded")
    func roundTrip() throws {
        #expect(try ChangeBatch(decoding: sample.encoded()) == sample)
        #expect(try sample.encoded() == sample.encoded())
    }

    @Test("Format 1 stays readable (fixed bytes)")
    func pinned() throws {
        let batch = ChangeBatch(
            device: DeviceID(0x0102), deviceName: "d", deviceSequence: 300, time: Timestamp(nanoseconds: -1),
            base: LogPosition(LogSequence(7), .sample(9)), changes: [.delete(ItemID(high: 3, low: 4), base: nil)])
        let head: [UInt8] = [
            1, 1, 0, 2, 1, 0, 0, 0, 0, 0, 0, 1, 0x64, 0xAC, 2, 255, 255, 255, 255, 255, 255, 255, 255, 7, 1,
        ]
        let rest: [UInt8] = [0, 0, 0, 1, 5, 3, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0]
        let bytes = head + Digest.sample(9).bytes + rest
        #expect(try batch.encoded() == bytes)
        #expect(try ChangeBatch(decoding: bytes) == batch)
    }

    @Test("The packages that a batch changes stand in it (fixed bytes)")
    func pinnedPackages() throws {
        let version = VersionID(sequence: LogSequence(300), index: 5)
        let batch = ChangeBatch(
            device: DeviceID(0x0102), deviceName: "d", deviceSequence: 1, time: .zero,
            packages: [PackageVersion(ItemID(high: 3, low: 4), version)], changes: [])
        let head: [UInt8] = [1, 1, 0, 2, 1, 0, 0, 0, 0, 0, 0, 1, 0x64, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
        let rest: [UInt8] = [
            1, 3, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0xAC, 2, 5, 0, 0, 0,
        ]
        let bytes = head + Digest.zero.bytes + rest
        #expect(try batch.encoded() == bytes)
        #expect(try ChangeBatch(decoding: bytes) == batch)
    }

    @Test("The newest collection that a device knew stands in its batch (fixed bytes)")
    func pinnedCollections() throws {
        let list = ContentReference(digest: .sample(1), size: 300, layout: .chunk)
        let batch = ChangeBatch(
            device: DeviceID(0x0102), deviceName: "d", deviceSequence: 1, time: .zero, collection: 300, keyEpoch: 2,
            changes: [.collection(.proposed(epoch: 301, list: list)), .collection(.begun(epoch: 5))])
        let head: [UInt8] = [1, 1, 0, 2, 1, 0, 0, 0, 0, 0, 0, 1, 0x64, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
        let middle: [UInt8] = [0, 0xAC, 2, 2, 2, 9, 1, 0xAD, 2, 1, 0xAC, 2]
        let bytes = head + Digest.zero.bytes + middle + list.digest.bytes + [9, 2, 5]
        #expect(try batch.encoded() == bytes)
        #expect(try ChangeBatch(decoding: bytes) == batch)
    }

    @Test("An announced list of a collection is damage, and so are rules 0")
    func announcedList() throws {
        let batch = ChangeBatch(
            device: TestLog.a, deviceName: "d", deviceSequence: 1, time: .zero,
            changes: [.collection(.begun(epoch: 1))])
        var bytes = try batch.encoded()
        let announced = Array(bytes.dropLast(2)) + [1, 1, 0xFF, 3]
        #expect(throws: LogError.self) { try ChangeBatch(decoding: announced) }
        bytes[1] = 0
        #expect(throws: LogError.self) { try ChangeBatch(decoding: bytes) }
    }

    @Test("Packages that are unsorted or listed twice are damage")
    func packageOrder() throws {
        var batch = sample
        batch.packages.swapAt(0, 1)
        #expect(throws: LogError.self) { try ChangeBatch(decoding: batch.encoded()) }
        batch.packages = [sample.packages[0], sample.packages[0]]
        #expect(throws: LogError.self) { try ChangeBatch(decoding: batch.encoded()) }
    }

    @Test("A newer format and newer rules are reported as such, not as damage")
    func newer() throws {
        var bytes = try sample.encoded()
        bytes[0] = 2
        #expect(throws: LogError.tooNew(format: 2, known: 1)) { try ChangeBatch(decoding: bytes) }
        bytes[0] = 1
        bytes[1] = 9
        #expect(throws: LogError.rulesTooNew(needed: 9, known: ContainerReducer.knownRules)) {
            try ChangeBatch(decoding: bytes)
        }
        #expect(throws: LogError.tooNew(format: 77, known: 1)) { try ChangeBatch(decoding: [77]) }
    }

    @Test("A number that leaves a device no next number, and a size that no file can have, are damage")
    func numbers() throws {
        var batch = sample
        batch.deviceSequence = .max
        #expect(throws: LogError.self) { try ChangeBatch(decoding: batch.encoded()) }
        batch = sample
        batch.changes = [.announcement(3, "n", size: 1 << 63)]
        #expect(throws: LogError.self) { try ChangeBatch(decoding: batch.encoded()) }
    }

    @Test("A batch that exceeds a limit is not encoded")
    func limits() throws {
        var batch = sample
        batch.changes = Array(repeating: .raiseRules(1), count: ChangeBatch.maximumChanges + 1)
        #expect(throws: LogError.self) { try batch.encoded() }
        batch.changes.removeLast()
        #expect(try ChangeBatch(decoding: batch.encoded()) == batch)
        batch = sample
        batch.packages = (0...UInt64(ChangeBatch.maximumPackages)).map {
            PackageVersion(.sample($0), VersionID(sequence: .zero, index: 0))
        }
        #expect(throws: LogError.self) { try batch.encoded() }
        batch.packages.removeLast()
        #expect(try ChangeBatch(decoding: batch.encoded()) == batch)
        batch = sample
        batch.deviceName = String(repeating: "n", count: 256)
        #expect(throws: LogError.self) { try batch.encoded() }
        batch = sample
        let large = AttributeChanges(extended: ["user.a": [UInt8](repeating: 0, count: ChangeBatch.maximumBytes)])
        batch.changes = [.setAttributes(.sample(1), large)]
        #expect(throws: LogError.self) { try batch.encoded() }
    }

    @Test("Every truncated entry is damaged")
    func truncated() throws {
        let bytes = try sample.encoded()
        for count in 0..<bytes.count {
            #expect(throws: LogError.self) { try ChangeBatch(decoding: bytes.prefix(count)) }
        }
        #expect(throws: LogError.self) { try ChangeBatch(decoding: bytes + [0]) }
    }

    @Test("Any bytes decode to a batch that can be encoded again, or to an error")
    func hostile() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SeededGenerator(seed: seed)
        let good = try sample.encoded()
        for round in 0..<20_000 {
            var bytes = good
            for _ in 0..<random.number(1..<6) { bytes[random.number(0..<bytes.count)] = UInt8(random.number(0..<256)) }
            if random.chance(20) { bytes.removeLast(random.number(0..<bytes.count)) }
            guard let batch = try? ChangeBatch(decoding: bytes) else { continue }
            let again = try ChangeBatch(decoding: batch.encoded())
            if again != batch { Issue.record("seed \(seed), round \(round)") }
        }
    }
}
