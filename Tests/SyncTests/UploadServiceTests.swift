import Basics
import Chunking
import CloudModel
import CloudStorage
import DeviceSupport
import Glibc
import LocalContent
import LocalMetadata
import TestSupport
import Testing
import Transfers
import VirtualFileSystem

@testable import Sync

/// Tests which files are uploaded and when. ``ContentUploaderTests`` cover the upload of a file's bytes.
@Suite("Uploads", .timeLimit(.minutes(10)))
struct UploadServiceTests {
    private let backend: InMemoryBackend
    private let device: KernellessDevice
    private var uploads: UploadService { device.engine.uploads }

    init() throws {
        backend = InMemoryBackend()
        device = try KernellessDevice(backend)
    }

    private func isStored(_ text: String) -> Bool {
        backend.storedChunk(.of(Array(text.utf8)), in: .cloudDocs) != nil
    }

    /// Starts a round and returns once its first chunk is about to be put.
    private func startHeld() async -> Task<Bool, any Error> {
        backend.gate.hold(.putChunk)
        let round = Task { [uploads] in try await uploads.uploadDue(.small) }
        await backend.gate.untilHeld(1)
        return round
    }

    // MARK: What is uploaded, and when

    @Test("an edited file is uploaded and its row names the content; it still has to be sent")
    func uploaded() async throws {
        try device.save("a", "text")
        let isAnyDone = try await uploads.uploadDue(.small)
        #expect(isAnyDone && isStored("text"))
        let row = try #require(try device.row("a"))
        #expect(row.content == .of("text") && !row.isEdited && row.pendingSince != nil)
        let isMore = try await uploads.uploadDue(.small)
        #expect(!isMore)
        #expect(backend.gate.count(.putChunk) == 1)
    }

    @Test(
        "a database is not uploaded while its last changes are in a log beside it, its state says so, and the log stays here"
    )
    func openDatabase() async throws {
        let header = "SQLite format 3\0"
        try device.save("db", header + "pages")
        try device.save("db-wal", "last changes")
        try device.save("db-shm", "index")
        try device.save("tidal-wal", "a wall in the sea")
        #expect(try device.row("db-wal")?.isExcluded == true && device.row("db-shm")?.isExcluded == true)
        #expect(try device.row("tidal-wal")?.isExcluded == false)
        var isAnyDone = try await uploads.uploadDue(.small)
        #expect(isAnyDone && isStored("a wall in the sea") && !isStored(header + "pages") && !isStored("last changes"))
        #expect(try device.row("db")?.uploadError == OpenDatabases.message)
        // SQLite removes the log when the last program closes the database.
        try device.remove("db-wal")
        isAnyDone = try await uploads.uploadDue(.small)
        #expect(isAnyDone && isStored(header + "pages"))
        #expect(try device.row("db")?.uploadError == nil)
    }

    @Test("an edit is uploaded after exactly the settle time, and at once if a client waits")
    func settleTime() async throws {
        let device = try KernellessDevice(backend, settle: .milliseconds(250))
        try device.save("a", "text")
        device.time.advance(by: .nanoseconds(249_999_999))
        var isAnyDone = try await device.engine.uploads.uploadDue(.small)
        #expect(!isAnyDone)
        device.time.advance(by: .nanoseconds(1))
        isAnyDone = try await device.engine.uploads.uploadDue(.small)
        #expect(isAnyDone)
        try device.save("b", "more")
        device.context.urgency.begin()
        isAnyDone = try await device.engine.uploads.uploadDue(.small)
        #expect(isAnyDone)
    }

    @Test("a file is queued in the lane of its size: the limit itself is small, one byte more is large")
    func lanes() throws {
        let (small, large) = (UploadService.Lane.small.sizes, UploadService.Lane.large.sizes)
        #expect(small.lowerBound == 0 && large.upperBound == UInt64(Int64.max))
        #expect(small.upperBound + 1 == large.lowerBound, "no size is in both, and none in neither")
        let sizes = [small.upperBound, large.lowerBound]
        for (name, size) in zip(["s", "l"], sizes) {
            let node = try device.save(name, "x")
            try device.metadata.write { transaction in
                var row = try #require(try transaction.local.item(node))
                row.size = size
                try transaction.local.update(row)
            }
        }
        for (lane, name) in [(UploadService.Lane.small, "s"), (.large, "l")] {
            let due = try device.metadata.read {
                try $0.transfers.uploadable(before: device.time.now(), sizes: lane.sizes, limit: lane.groupFiles)
            }
            #expect(due.map(\.name.description) == [name])
        }
    }

    @Test("many small files share one query to the cloud, and each file above 4 MiB has its own")
    func groups() async throws {
        for number in 0..<20 { try device.save("\(number)", "text \(number)") }
        _ = try await uploads.uploadDue(.small)
        #expect(backend.gate.count(.missing) == 1)
        for number in 0..<2 as Range<UInt8> {
            try device.save("large \(number)", [UInt8](repeating: number, count: (4 << 20) + 1))
        }
        let before = backend.gate.count(.missing)
        _ = try await uploads.uploadDue(.small)
        #expect(backend.gate.count(.missing) == before + 4, "of each its chunks, then its manifest")
        #expect(try device.rows.allSatisfy { !$0.isEdited })
    }

    @Test("a file that is being uploaded is not started a second time, and a new one does not wait for it")
    func underWay() async throws {
        try device.save("a", "text")
        let round = await startHeld()
        let isAnyDone = try await uploads.uploadDue(.small)
        #expect(!isAnyDone)
        #expect(uploads.all.map(\.item.name.description) == ["a"])
        try device.save("b", "more")
        let second = Task { [uploads] in try await uploads.uploadDue(.small) }
        await backend.gate.untilHeld(2)
        #expect(Set(uploads.all.map(\.item.name.description)) == ["a", "b"])
        backend.gate.open()
        let done = try await (round.value, second.value)
        #expect(done == (true, true) && uploads.all.isEmpty)
        #expect(backend.gate.count(.putChunk) == 2)
    }

    // MARK: Files that change meanwhile

    @Test("a file that is written during its upload stays edited, and the next round uploads the new content")
    func changed() async throws {
        try device.save("a", "first")
        let round = await startHeld()
        try device.edit("a", "second")
        backend.gate.open()
        _ = try await round.value
        let row = try #require(try device.row("a"))
        #expect(row.isEdited && row.content != .of("first"))
        _ = try await uploads.uploadDue(.small)
        #expect(try device.row("a")?.content == .of("second"))
        #expect(isStored("second"))
    }

    @Test("a write of the same length within one tick of the clock is detected")
    func changedInPlace() async throws {
        let node = try device.save("a", "first")
        let round = await startHeld()
        let handle = try device.files.open(node, canWrite: true, truncate: false)
        try device.write("FIRST", to: handle)
        backend.gate.open()
        _ = try await round.value
        #expect(try device.row("a")?.isEdited == true)
        device.files.release(handle)
        _ = try await uploads.uploadDue(.small)
        #expect(try device.row("a")?.content == .of("FIRST"))
    }

    @Test("a file that is deleted while it is uploaded stays deleted")
    func deleted() async throws {
        try device.save("a", "text")
        try device.save("b", "other")
        let round = await startHeld()
        try device.remove("a")
        backend.gate.open()
        let isAnyDone = try await round.value
        #expect(isAnyDone)
        #expect(try device.names() == ["b"])
        #expect(try device.row("b")?.content == .of("other"))
    }

    @Test("a file that is renamed while it is uploaded is uploaded under its new name")
    func renamed() async throws {
        try device.save("a", "text")
        let round = await startHeld()
        try device.rename("a", to: "b")
        backend.gate.open()
        let isAnyDone = try await round.value
        #expect(isAnyDone)
        #expect(try device.row("b")?.content == .of("text"))
    }

    @Test("a file whose bytes are missing on the disk has an error, and delays no other file")
    func lostBytes() async throws {
        let lost = try device.save("a", "text")
        try device.save("b", "other")
        let blob = try #require(try device.metadata.read { try $0.local.item(lost) }).blob
        try device.content.remove(blob)
        let isAnyDone = try await uploads.uploadDue(.small)
        #expect(isAnyDone)
        #expect(try device.row("a")?.uploadError != nil)
        #expect(try device.row("a")?.isEdited == true)
        #expect(try device.row("b")?.uploadError == nil && device.row("b")?.isEdited == false)
    }

    // MARK: A cloud that fails

    @Test(
        "a refusal of the cloud is the error of the round and of the file, which stays edited; a later round clears it",
        arguments: [CloudError.Code.offline, .quota, .failed, .readOnly])
    func refused(code: CloudError.Code) async throws {
        try device.save("a", "text")
        backend.gate.fail(.putChunk, with: CloudError(code, "The cloud says no."), times: 1)
        await #expect(throws: TransferError.self) { try await uploads.uploadDue(.small) }
        let row = try #require(try device.row("a"))
        #expect(row.isEdited && row.uploadError == "The cloud says no.")
        #expect(uploads.all.isEmpty)
        let isAnyDone = try await uploads.uploadDue(.small)
        #expect(isAnyDone)
        #expect(try device.row("a")?.uploadError == nil)
        #expect(try device.row("a")?.isEdited == false)
    }

    @Test("chunks that reached the cloud before a failure are not sent again")
    func resumed() async throws {
        for number in 0..<10 { try device.save("\(number)", "text \(number)") }
        backend.gate.hold(.putChunk)
        let round = Task { [uploads] in try await uploads.uploadDue(.small) }
        await backend.gate.untilHeld(1)
        backend.gate.releaseOne()
        await backend.gate.untilHeld(1)
        backend.gate.fail(.putChunk, with: CloudError(.offline, "no network"), times: 1)
        backend.gate.open()
        _ = await round.result
        let stored = backend.storedChunks(in: .cloudDocs)
        #expect(!stored.isEmpty)
        let before = stored.map { backend.gate.count(.putChunk, of: $0) }
        while try await uploads.uploadDue(.small) {}
        #expect(stored.map { backend.gate.count(.putChunk, of: $0) } == before)
        #expect(try device.rows.allSatisfy { !$0.isEdited && $0.uploadError == nil })
    }

    @Test("a cancelled round leaves only chunks: no error, no progress, and the next one uploads")
    func cancelled() async throws {
        try device.save("a", "text")
        let row = try device.row("a")
        let round = await startHeld()
        round.cancel()
        let result = await round.result
        #expect(throws: CancellationError.self) { try result.get() }
        #expect(try device.row("a") == row)
        #expect(uploads.all.isEmpty)
        backend.gate.open()
        let isAnyDone = try await uploads.uploadDue(.small)
        #expect(isAnyDone && isStored("text"))
    }

    // MARK: A disk that fails

    @Test("an upload that a full disk could not record is recorded by a later round, which sends no byte again")
    func fullDisk() async throws {
        let disk = FailingDatabase()
        let device = try KernellessDevice(backend, onCall: disk.pass)
        try device.save("a", "text")
        disk.fail(.commit, with: Errno(ENOSPC))
        await #expect(throws: Errno(ENOSPC)) { try await device.engine.uploads.uploadDue(.small) }
        disk.heal()
        #expect(try device.row("a")?.isEdited == true)
        #expect(device.engine.uploads.all.isEmpty)
        let isAnyDone = try await device.engine.uploads.uploadDue(.small)
        #expect(isAnyDone)
        #expect(try device.row("a")?.content == .of("text"))
        #expect(backend.gate.count(.putChunk) == 1)
    }

    // MARK: Claims

    @Test(
        "a claimed file waits for its own permit, under which the bytes are read, and delays no other file")
    func held() async throws {
        let permits = FakePermits()
        let device = try KernellessDevice(backend, permits: permits)
        let held = try device.save("held", "first")
        try device.save("free", "text")
        permits.hold(held)
        let waiting = Task { [context = device.context] in await context.waiting.run() }
        let isAnyDone = try await device.engine.uploads.uploadDue(.small)
        #expect(isAnyDone && isStored("text") && !isStored("first"))
        #expect(device.context.waiting.contains(held))
        let isMore = try await device.engine.uploads.uploadDue(.small)
        #expect(!isMore, "it waits already")
        try device.edit("held", "saved before the permit came")
        permits.release()
        while try device.row("held")?.isEdited == true { await Task.yield() }
        #expect(try device.row("held")?.content == .of("saved before the permit came"))
        #expect(!isStored("first") && permits.open == 0)
        waiting.cancel()
        await waiting.value
    }

    @Test("a file whose permit is not granted is left for a later round")
    func permitRefused() async throws {
        let permits = FakePermits()
        let device = try KernellessDevice(backend, permits: permits)
        let held = try device.save("held", "text")
        permits.hold(held)
        let waiting = Task { [context = device.context] in await context.waiting.run() }
        _ = try await device.engine.uploads.uploadDue(.small)
        await permits.untilWaiting()
        permits.release(refusing: true)
        while device.context.waiting.contains(held) { await Task.yield() }
        #expect(try device.row("held")?.isEdited == true)
        #expect(try device.row("held")?.uploadError == nil)
        let isAnyDone = try await device.engine.uploads.uploadDue(.small)
        #expect(isAnyDone && isStored("text") && permits.open == 0)
        waiting.cancel()
        await waiting.value
    }
}
