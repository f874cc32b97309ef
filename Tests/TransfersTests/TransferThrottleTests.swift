import Basics
import Chunking
import CloudModel
import TestSupport
import Testing

@testable import Transfers

@Suite("Transfers at a limited rate")
struct TransferThrottleTests {
    private let fixture: Fixture

    init() throws { fixture = try Fixture() }

    private var down: TransferThrottle { fixture.context.down }

    @Test("a transfer begins when the clock has come to its bytes; one that is cancelled while it waits throws")
    func waits() async throws {
        down.setRate(1_000)
        try await down.pass(down.makeTicket(), bytes: 3_000, .background)
        let cancelled = Task { try await down.pass(down.makeTicket(), bytes: 1, .background) }
        await fixture.clock.untilSleeping(before: .seconds(3))
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        let second = Task { try await down.pass(down.makeTicket(), bytes: 1, .background) }
        await fixture.clock.untilSleeping(before: .seconds(3))
        fixture.clock.advance(by: .seconds(3))
        try await second.value
    }

    @Test("a limit that is removed lets everything go that waits")
    func removed() async throws {
        down.setRate(10_000)
        try await down.pass(down.makeTicket(), bytes: 1 << 20, .background)
        let waiting = (0..<10).map { _ in Task { try await down.pass(down.makeTicket(), bytes: 1 << 20, .background) } }
        await fixture.clock.untilSleeping(before: .seconds(200))
        down.setRate(nil)
        for task in waiting { try await task.value }
    }

    @Test("an upload and a download take as long as their limits say, and have the right bytes")
    func bytes() async throws {
        let bytes = randomBytes(100_000)
        fixture.context.up.setRate(20_000)
        let uploading = Task { try await fixture.upload(bytes) }
        let uploaded = try await advancing { try await uploading.value }
        // 20,000 bytes are free, and nothing waits for the last piece to be paid for.
        #expect(uploaded.seconds >= 3, "\(uploaded.seconds)")

        down.setRate(20_000)
        let began = fixture.clock.now.offset / .seconds(1)
        let file = try fixture.file(size: UInt64(bytes.count))
        let download = fixture.download(uploaded.value.reference, to: file)
        let downloading = Task { try await download.completeAll() }
        let downloaded = try await advancing { try await downloading.value }
        #expect(downloaded.seconds - began >= 3, "\(downloaded.seconds - began)")
        #expect(try fixture.contents(file) == bytes)
    }

    @Test("while downloads wait for their limit, an upload does not wait for their slots")
    func independent() async throws {
        let uploads = try await (0..<20).asyncMap { try await fixture.upload(randomBytes(10_000, seed: UInt64($0))) }
        down.setRate(10_000)
        let downloads = try uploads.map { upload in
            let file = try fixture.file(size: 10_000)
            return fixture.download(upload.reference, to: file)
        }
        let tasks = downloads.map { download in Task { try await download.completeAll() } }
        await fixture.clock.untilSleeping(before: .seconds(100))
        _ = try await fixture.upload(randomBytes(10_000, seed: 99))
        down.setRate(nil)
        for task in tasks { try await task.value }
    }

    /// Advances the clock until the work is done.
    private func advancing<T: Sendable>(_ work: @escaping @Sendable () async throws -> T) async throws -> (
        value: T, seconds: Double
    ) {
        let clock = fixture.clock
        let ticking = Task {
            while !Task.isCancelled {
                await Task.yield()
                clock.advance(by: .milliseconds(1))
            }
        }
        defer { ticking.cancel() }
        let value = try await work()
        return (value, clock.now.offset / .seconds(1))
    }
}

extension Sequence {
    fileprivate func asyncMap<T>(_ transform: (Element) async throws -> T) async rethrows -> [T] {
        var result: [T] = []
        for element in self { result.append(try await transform(element)) }
        return result
    }
}
