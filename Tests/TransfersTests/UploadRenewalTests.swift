import Chunking
import CloudModel
import CloudStorage
import TestSupport
import Testing

@testable import Transfers

@Suite struct UploadRenewalTests {
    /// A cloud with its own garbage collection, like a server.
    private struct OwnCollector: CloudDecorator {
        let base: any CloudBackend

        func facet<Facet>(_ type: Facet.Type) -> Facet? { nil }
    }

    @Test("a device asks again about the chunks of an upload that is held up, and no longer once it has ended")
    func renewed() async throws {
        let fixture = try Fixture()
        let bytes = randomBytes(20_000)
        let pool = fixture.context.pool
        let manifest = try await ContentHasher(pool: pool, parameters: Fixture.parameters).manifest(fixture.file(bytes))
        let last = try #require(manifest.chunks.last).id
        let context = TransferContext(
            backend: OwnCollector(base: fixture.backend), slots: TransferSlots(limit: 8, reservedForDemand: 1),
            pool: pool, clock: fixture.clock, jitter: { 0 })
        let gate = fixture.backend.gate
        gate.hold { $0.operation == .putChunk && $0.chunk == last }
        let file = try fixture.file(bytes)
        async let result = ContentUploader(context, parameters: Fixture.parameters).upload(
            file, size: UInt64(bytes.count), to: fixture.container)
        await gate.untilHeld(1)
        let asked = gate.count(.missing)
        gate.hold(.missing)
        await fixture.clock.untilSleeping(before: UploadGrace.renewal)
        fixture.clock.advance(by: UploadGrace.renewal)
        await gate.untilHeld(2)
        #expect(gate.count(.missing) == asked + 1)
        gate.open()
        let reference = try await result.reference
        #expect(reference == manifest.reference)
        #expect(!fixture.clock.isSleeping(after: .zero))
    }
}
