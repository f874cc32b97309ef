import Basics
import CloudModel
import DeviceSupport
import LocalContent
import LocalMetadata
import TestSupport
import Testing
import Transfers

@testable import Sync

@Suite("Downloads that end one after the other")
struct GatheredDownloadTests {
    private let clock = ManualClock()
    private let test: KernellessDevice

    init() throws {
        let backend = InMemoryBackend()
        let transfers = TransferContext(
            backend: backend, slots: TransferSlots(), pool: try BlockingPool(name: "test", threads: 2), clock: clock)
        test = try KernellessDevice(backend, time: SystemTime(), transfers: transfers)
    }

    @Test(
        "the first one is recorded at once, and those of the next moment in one transaction", .timeLimit(.minutes(10)))
    func gathered() async throws {
        let items = try await placeholders(21)
        let writes = try await readFirst(items[0])
        for item in items.dropFirst() { try await read(item) }
        #expect(try items.dropFirst().allSatisfy { try test.row(named($0))?.presence == LocalMetadata.Presence.none })
        #expect(test.metadata.writes == writes)
        clock.advance(by: DownloadFinisher.gap)
        try await eventually("all are recorded") {
            try items.allSatisfy { try test.row(named($0))?.presence == .whole }
        }
        #expect(test.metadata.writes == writes + 1)
    }

    @Test(
        "one that something waits for is recorded without a delay, with those that are complete",
        .timeLimit(.minutes(10)))
    func awaited() async throws {
        let items = try await placeholders(3)
        _ = try await readFirst(items[0])
        for item in items.dropFirst() { try await read(item) }
        try await test.engine.downloads.finish(items[2])
        #expect(try test.row(named(items[2]))?.presence == .whole)
        try await eventually("the other one is recorded") { try test.row(named(items[1]))?.presence == .whole }
    }

    @Test("one that is opened again before that is recorded at once and not fetched again", .timeLimit(.minutes(10)))
    func openedAgain() async throws {
        let items = try await placeholders(2)
        _ = try await readFirst(items[0])
        try await read(items[1])
        #expect(throws: StaleItem.self) { _ = try test.engine.downloads.open(items[1], for: nil) }
        #expect(try test.row(named(items[1]))?.presence == .whole)
    }

    @Test("those that are complete when the daemon stops are recorded", .timeLimit(.minutes(10)))
    func stopped() async throws {
        let items = try await placeholders(3)
        _ = try await readFirst(items[0])
        for item in items.dropFirst() { try await read(item) }
        test.engine.downloads.recordComplete()
        #expect(try items.allSatisfy { try test.row(named($0))?.presence == .whole })
    }

    @Test("so many that they keep too many files open are recorded without a delay", .timeLimit(.minutes(10)))
    func limit() async throws {
        let items = try await placeholders(DownloadFinisher.limit + 1)
        _ = try await readFirst(items[0])
        for item in items.dropFirst() { try await read(item) }
        try await eventually("all are recorded") {
            try items.allSatisfy { try test.row(named($0))?.presence == .whole }
        }
    }

    private func named(_ item: LocalItem) -> String { item.name.description }

    private func read(_ item: LocalItem) async throws {
        let opened = try test.engine.downloads.open(item, for: nil)
        try await opened.download.ensure(0..<item.size, patience: nil)
        test.engine.downloads.close(item)
    }

    /// Reads an item that is recorded immediately.
    ///
    /// - Returns: The number of write transactions before the next downloads are gathered.
    private func readFirst(_ item: LocalItem) async throws -> UInt64 {
        try await read(item)
        try await eventually("the first one is recorded") { try test.row(named(item))?.presence == .whole }
        await clock.untilSleeping(before: DownloadFinisher.gap)
        return test.metadata.writes
    }

    /// Creates files with bytes only in the cloud.
    private func placeholders(_ count: Int) async throws -> [LocalItem] {
        try await test.backend.createContainer(.cloudDocs)
        var items: [LocalItem] = []
        for number in 0..<count {
            try test.save("file \(number)", "bytes of file \(number)")
            var item = try #require(try test.row("file \(number)"))
            let file = SharedDescriptor(adopting: try test.content.open(item.blob))
            item.content = try await ContentUploader(test.context.transfers).upload(
                file, size: item.size, to: .cloudDocs
            ).reference
            (item.presence, item.isEdited, item.pendingSince) = (.none, false, nil)
            item.generation += 1
            try test.metadata.write { [item] in try $0.local.update(item) }
            items.append(item)
        }
        return items
    }
}
