import Synchronization
import TestSupport
import Testing

@testable import Transfers

@Suite struct TransferSlotsTests {
    @Test("Ten thousand requests run, never more at once than there are slots")
    func bounded() async {
        let slots = TransferSlots(limit: 8, reservedForDemand: 2)
        let running = Mutex((now: 0, most: 0, done: 0))
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            for _ in 0..<10_000 {
                _ = slots.submit(.background) {
                    running.withLock {
                        $0.now += 1; $0.most = max($0.most, $0.now)
                    }
                    await Task.yield()
                    let isLast = running.withLock { counts in
                        counts.now -= 1
                        counts.done += 1
                        return counts.done == 10_000
                    }
                    if isLast { continuation.resume() }
                }
            }
        }
        #expect(running.withLock { $0.most } <= 6)
    }

    @Test("A caller that is cancelled while it waits throws, and its slot goes to the next one")
    func cancelledCaller() async throws {
        let fixture = try Fixture()
        let slots = TransferSlots(limit: 1, reservedForDemand: 0)
        fixture.backend.gate.hold(.space)
        async let first: Void = slots.withSlot(.background) { _ = try await fixture.backend.space() }
        await fixture.backend.gate.untilHeld(1)
        let second = Task { try await slots.withSlot(.background) { 2 } }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        fixture.backend.gate.open()
        try await first
        #expect(try await slots.withSlot(.background) { 3 } == 3)
    }

    @Test("Work that is cancelled before its turn never runs; running work has its task cancelled")
    func cancelledWork() async throws {
        let fixture = try Fixture()
        let slots = TransferSlots(limit: 1, reservedForDemand: 0)
        let ran = Mutex<[String]>([])
        fixture.backend.gate.hold(.space)
        let first = slots.submit(.background) {
            do { _ = try await fixture.backend.space() } catch { ran.withLock { $0.append("\(type(of: error))") } }
        }
        let second = slots.submit(.background) { ran.withLock { $0.append("second") } }
        await fixture.backend.gate.untilHeld(1)
        #expect(slots.cancel(second))
        #expect(!slots.cancel(first))
        try await slots.withSlot(.background) {}
        #expect(ran.withLock { $0 } == ["CancellationError"])
    }
}
