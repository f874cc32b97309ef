import Basics
import CloudModel
import CloudStorage
import ContainerLog
import DeviceSupport
import Foundation
import Glibc
import LocalMetadata
import TestSupport
import Testing

@testable import Sync

@Suite("Following a log")
struct LogFollowerTests {
    private let backend: InMemoryBackend
    private let device: KernellessDevice

    init() throws {
        backend = InMemoryBackend()
        device = try KernellessDevice(backend)
    }

    private var sequence: LogSequence { get throws { try device.container.sequence } }

    /// Appends, for each number, a remote batch with a new folder named by that number.
    private func append(_ numbers: Range<UInt64>) async throws {
        for number in numbers {
            let batch = ChangeBatch(
                device: .other, deviceName: "other", deviceSequence: number, time: device.time.now(),
                changes: [try .folder(number, "\(number)")])
            _ = try await backend.append(batch.encoded(), to: .cloudDocs)
        }
    }

    // MARK: One entry

    @Test("an entry out of order is refused and changes nothing", arguments: [0, 1, 2, 4, UInt64.max])
    func gap(number: UInt64) throws {
        try device.fold(.folder(1, "one"))
        try device.fold(.folder(2, "two"))
        let rows = try device.rows
        let record = LogRecord(
            sequence: LogSequence(number), payload: try device.batch(of: [.folder(3, "three")]).encoded())
        #expect(throws: LogError.gap(expected: LogSequence(3), found: LogSequence(number))) {
            try LogFollower(device.context).fold(record, in: device.container)
        }
        #expect(try sequence == LogSequence(2))
        #expect(try device.rows == rows)
    }

    @Test("an entry of newer rules or of a newer format is refused and changes nothing")
    func tooNew() throws {
        let rules = ContainerReducer.knownRules
        for version in 1...rules + 1 { try device.fold(.raiseRules(version)) }
        let before = (try sequence, try device.rows)
        #expect(throws: LogError.self) { try device.fold(.folder(1, "one")) }
        var payload = try device.batch(of: [.folder(1, "one")]).encoded()
        payload[0] = .max
        #expect(throws: LogError.self) { try device.fold(payload: payload) }
        #expect(try sequence == before.0)
        #expect(try device.rows == before.1)
    }

    @Test("a damaged entry is skipped, and later entries are followed", arguments: 0..<40)
    func damage(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        try device.fold(.folder(1, "one"), .file(2, "two", "text"))
        var payload = try device.batch(of: [.folder(3, "three"), .file(4, "four", "text")]).encoded()
        switch seed % 4 {
        case 0: payload = Array(payload.prefix(random.number(0..<payload.count)))
        case 1: payload = Array(payload.prefix(1)) + random.bytes(random.number(0..<200))
        case 2: payload += random.bytes(random.number(1..<9))
        default: for _ in 0..<4 { payload[random.number(1..<payload.count)] = UInt8(truncatingIfNeeded: random.next()) }
        }
        let rows = try device.rows
        let before = try sequence
        do {
            try device.fold(payload: payload)
            #expect(try sequence == before.next, "seed \(seed)")
        } catch let error as LogError {
            #expect(error.needsUpdate, "seed \(seed): \(error)")
            #expect(try sequence == before && device.rows == rows, "seed \(seed): a refused entry changed something")
        }
        try device.fold(.file(5, "five", "text"), by: DeviceID(3))
        #expect(try device.row("five") != nil, "seed \(seed)")
        #expect(try device.row("one") != nil && device.row("two") != nil, "seed \(seed)")
    }

    @Test("an entry whose transaction failed is folded once by the next attempt")
    func failedTransaction() throws {
        let disk = FailingDatabase()
        let device = try KernellessDevice(onCall: disk.pass)
        let batch = try device.batch(of: [.folder(1, "one"), .file(2, "two", "text", in: .sample(1))])
        disk.fail(.commit, with: Errno(ENOSPC))
        #expect(throws: Errno(ENOSPC)) { try device.fold(batch) }
        #expect(try device.names() == [])
        #expect(try device.container.sequence == .zero)
        disk.heal()
        try device.fold(batch)
        #expect(try device.names() == ["one"])
        #expect(try device.names(in: device.node("one")) == ["two"])
    }

    // MARK: Claims

    @Test("a claimed item keeps its state until the claim ends; the rest of the entry is followed")
    func held() throws {
        let permits = FakePermits()
        let device = try KernellessDevice(permits: permits)
        try device.fold(.file(1, "held", "old"), .file(2, "free", "old"))
        permits.hold(try device.node("held"))
        try device.fold(.edit(.sample(1), from: "old", to: "new"), .edit(.sample(2), from: "old", to: "new"))
        #expect(try device.row("held")?.content == .of("old"))
        #expect(try device.row("free")?.content == .of("new"))
        #expect(permits.deferrals == 1 && permits.open == 0)
        #expect(try !device.unrest.isEmpty)
        try LogFollower(device.context).followUnsettled(in: device.container)
        #expect(try device.row("held")?.content == .of("old"), "the claim has not ended")
        permits.release()
        try LogFollower(device.context).followUnsettled(in: device.container)
        #expect(try device.row("held")?.content == .of("new"))
        #expect(try device.unrest.isEmpty)
        #expect(permits.open == 0)
    }

    @Test("a permit is returned if the entry cannot be folded")
    func permitsEnd() throws {
        let permits = FakePermits()
        let disk = FailingDatabase()
        let device = try KernellessDevice(permits: permits, onCall: disk.pass)
        try device.fold(.file(1, "a", "old"))
        disk.fail(.commit, with: Errno(ENOSPC))
        #expect(throws: Errno(ENOSPC)) { try device.fold(.edit(.sample(1), from: "old", to: "new")) }
        #expect(permits.asked.count >= 1 && permits.open == 0)
    }

    // MARK: A log in a cloud

    @Test("a long log is read page by page to its end", arguments: [1, 63, 64, 65, 128, 200] as [UInt64])
    func pages(count: UInt64) async throws {
        try await backend.createContainer(.cloudDocs)
        try await append(1..<count + 1)
        _ = try await device.engine.syncLogs()
        #expect(try sequence == LogSequence(count))
        #expect(try device.rows.filter { $0.parent == device.documents }.count == Int(count))
        // A final request finds the end.
        #expect(backend.gate.count(.entries) == Int((count + 63) / 64) + 1)
        _ = try await device.engine.syncLogs()
        #expect(backend.gate.count(.entries) == Int((count + 63) / 64) + 2, "from where the last round ended")
    }

    @Test("a cancelled round keeps the pages it has folded, and the next one continues after them")
    func cancellation() async throws {
        try await backend.createContainer(.cloudDocs)
        try await append(1..<101)
        backend.gate.hold(.entries)
        let round = Task { [engine = device.engine] in try await engine.syncLogs() }
        await backend.gate.untilHeld(1)
        backend.gate.releaseOne()
        await backend.gate.untilHeld(1)
        round.cancel()
        let result = await round.result
        #expect(throws: CancellationError.self) { try result.get() }
        #expect(try sequence == LogSequence(64))
        backend.gate.open()
        _ = try await device.engine.syncLogs()
        #expect(try sequence == LogSequence(100))
        #expect(try device.rows.filter { $0.parent == device.documents }.count == 100)
    }

    @Test("a page that cannot be read fails the round with the cloud's error, and no entry is folded twice afterwards")
    func failedPage() async throws {
        try await backend.createContainer(.cloudDocs)
        try await append(1..<71)
        backend.gate.fail(.entries, with: CloudError(.offline, "no network"), times: 1)
        await #expect(throws: CloudError.self) { try await device.engine.syncLogs() }
        #expect(try sequence == .zero)
        _ = try await device.engine.syncLogs()
        #expect(try sequence == LogSequence(70))
    }

    @Test("another cloud in place of the known one is refused before it is read or written")
    func foreign() async throws {
        try await backend.createContainer(.cloudDocs)
        try await append(1..<3)
        try device.metadata.write { try $0.setSetting("cloud", Data("another".utf8)) }
        _ = try device.makeFolder("mine")
        await #expect(throws: CloudError.self) { try await device.engine.syncLogs() }
        #expect(try sequence == .zero)
        #expect(backend.gate.count(.entries) == 0)
        #expect(backend.gate.count(.append) == 2, "those of the test")
    }

    @Test("a log that is shorter than this device has read is an error of its container, and nothing is sent to it")
    func shorterLog() async throws {
        for number in 1...3 as ClosedRange<UInt64> { try device.fold(.folder(number, "\(number)")) }
        _ = try device.makeFolder("mine")
        try await backend.createContainer(.cloudDocs)
        _ = try await device.engine.syncLogs()
        #expect(device.engine.containerErrors.all.map(\.container) == [.cloudDocs])
        #expect(backend.gate.count(.append) == 0)
        #expect(try device.names() == ["1", "2", "3", "mine"])
    }

    @Test("a container whose log needs a newer program does not delay the others")
    func isolated() async throws {
        let other = try #require(ContainerName("a.other"))
        try await backend.createContainer(other)
        _ = try await backend.append([.max, 1, 2, 3], to: other)
        try await backend.createContainer(.cloudDocs)
        try await append(1..<3)
        _ = try await device.engine.syncLogs()
        #expect(device.engine.containerErrors.all.map(\.container) == [other])
        #expect(device.engine.containerErrors.all.map(\.needsUpdate) == [true])
        #expect(try sequence == LogSequence(2))
        #expect(device.engine.rounds == 0, "not everything was followed")
    }
}
