import Basics
import Chunking
import CloudModel
import CloudStorage
import TestSupport
import Testing

@testable import Transfers

@Suite struct DownloadPatienceTests {
    @Test("A read from a cloud that stays offline fails when its patience ends, and not before")
    func offline() async throws {
        let fixture = try Fixture()
        let upload = try await fixture.upload(randomBytes(200))
        let download = fixture.download(upload.reference, to: try fixture.file(size: 200))
        fixture.backend.gate.fail(.getChunk, with: CloudError(.offline, "no network"))
        async let code = errorCode { try await download.ensure(0..<1, patience: .seconds(1)) }
        // The pauses are 125 and 250 ms without jitter: two more attempts, and then a pause of 500 ms beyond the
        // patience.
        for step in [125, 375, 875] as [Int64] {
            await fixture.clock.untilSleeping(before: .milliseconds(step))
            #expect(download.waiterCount == 1)
            fixture.clock.advance(by: .milliseconds(step) - fixture.clock.now.offset)
        }
        await fixture.clock.untilSleeping(before: .milliseconds(1_000))
        fixture.clock.advance(by: .milliseconds(125))
        #expect(await code == .offline)
        #expect(fixture.backend.gate.count(.getChunk) >= 3)
    }

    @Test("A read is served if the cloud is back in time")
    func comesBack() async throws {
        let fixture = try Fixture()
        let upload = try await fixture.upload(randomBytes(200))
        let download = fixture.download(upload.reference, to: try fixture.file(size: 200))
        fixture.backend.gate.fail(.getChunk, with: CloudError(.failed, "busy"), times: 1)
        async let done: Void = download.ensure(0..<1, patience: .seconds(1))
        await fixture.clock.untilSleeping(before: .milliseconds(125))
        fixture.clock.advance(by: .milliseconds(125))
        try await done
    }

    @Test("A hint that the cloud is back ends the pause at once")
    func retryNow() async throws {
        let fixture = try Fixture()
        let upload = try await fixture.upload(randomBytes(200))
        let download = fixture.download(upload.reference, to: try fixture.file(size: 200))
        fixture.backend.gate.fail(.getChunk, with: CloudError(.offline, "no network"), times: 1)
        async let done: Void = download.ensure(0..<1, patience: nil)
        await fixture.clock.untilSleeping(before: .milliseconds(125))
        download.retryNow()
        try await done
    }

    @Test("A cloud that never responds is stalled, and its hanging fetch is cancelled with the last waiter")
    func stalled() async throws {
        let fixture = try Fixture()
        let upload = try await fixture.upload(randomBytes(200))
        let download = fixture.download(upload.reference, to: try fixture.file(size: 200))
        fixture.backend.gate.hold(.getChunk)
        async let code = errorCode { try await download.ensure(0..<1, patience: .seconds(1)) }
        await fixture.backend.gate.untilHeld(1)
        await fixture.clock.untilSleeping(before: .seconds(1))
        fixture.clock.advance(by: .seconds(1))
        #expect(await code == .stalled)
        await download.stop()
        #expect(fixture.backend.gate.heldCalls.isEmpty)
    }

    @Test("Readers that waited behind one whose patience ended fail with it, also when the download starts again")
    func togetherInVain() async throws {
        let fixture = try Fixture()
        let upload = try await fixture.upload(randomBytes(200))
        let first = fixture.download(upload.reference, to: try fixture.file(size: 200))
        fixture.backend.gate.hold(.getChunk)
        async let code = errorCode { try await first.ensure(0..<1, patience: .seconds(1)) }
        await fixture.clock.untilSleeping(before: .seconds(1))
        fixture.clock.advance(by: .seconds(1))
        #expect(await code == .stalled)
        // The kernel sends these reads in sequence. The clock does not move, so none of them can wait.
        for _ in 0..<3 {
            #expect(await errorCode { try await first.ensure(100..<101, patience: .seconds(1)) } == .stalled)
        }
        await first.stop()
        let second = fixture.download(upload.reference, to: try fixture.file(size: 200))
        #expect(await errorCode { try await second.ensure(0..<1, patience: .seconds(1)) } == .stalled)
        #expect(second.waiterCount == 0)
    }

    @Test("A reader that arrives a moment later waits, and gets the bytes when the cloud is back")
    func laterReader() async throws {
        let fixture = try Fixture()
        let upload = try await fixture.upload(randomBytes(200))
        let download = fixture.download(upload.reference, to: try fixture.file(size: 200))
        fixture.backend.gate.hold(.getChunk)
        async let code = errorCode { try await download.ensure(0..<1, patience: .seconds(1)) }
        await fixture.clock.untilSleeping(before: .seconds(1))
        fixture.clock.advance(by: .seconds(1))
        #expect(await code == .stalled)
        fixture.clock.advance(by: Patience.grace)
        fixture.backend.gate.open()
        try await download.ensure(0..<1, patience: .seconds(1))
        // The arrival of bytes ends the silence for all readers.
        #expect(fixture.context.silences.failure(upload.reference.digest) == nil)
    }

    @Test("A whole download without patience outlasts any outage")
    func patientDownload() async throws {
        let fixture = try Fixture()
        let upload = try await fixture.upload(randomBytes(200))
        let download = fixture.download(upload.reference, to: try fixture.file(size: 200))
        fixture.backend.gate.fail(.getChunk, with: CloudError(.offline, "no network"), times: 12)
        async let done: Void = download.completeAll()
        for _ in 0..<12 {
            await fixture.clock.untilSleeping(before: .seconds(3_600))
            fixture.clock.advance(by: .seconds(30))
        }
        try await done
    }
}
