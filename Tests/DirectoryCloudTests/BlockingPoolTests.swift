import CloudStorage
import Dispatch
import Testing

@testable import DirectoryCloud

@Suite("Blocking work", .timeLimit(.minutes(1)))
struct BlockingPoolTests {
    @Test("Work gives its value or its error")
    func outcomes() async throws {
        let pool = BlockingPool(width: 2)
        #expect(try await pool.run { 7 } == 7)
        await #expect(throws: CloudError.self) { try await pool.run { throw CloudError(.failed, "no") } }
    }

    @Test("A cancelled caller goes on at once while its work hangs, and other work goes on too")
    func cancellation() async throws {
        let pool = BlockingPool(width: 2)
        let (started, hang) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let caller = Task {
            try await pool.run {
                started.signal()
                hang.wait()
            }
        }
        try await pool.run { started.wait() }
        caller.cancel()
        // Returns although nobody has signalled `hang`.
        await #expect(throws: CancellationError.self) { try await caller.value }
        #expect(try await pool.run { 1 } == 1)
        hang.signal()
    }

    @Test("Work that was cancelled before its turn is not begun")
    func neverBegun() async throws {
        let pool = BlockingPool(width: 1)
        let hang = DispatchSemaphore(value: 0)
        let began = DispatchSemaphore(value: 0)
        let first = Task { try await pool.run { hang.wait() } }
        let second = Task { try await pool.run { began.signal() } }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        hang.signal()
        try await first.value
        try await pool.run {}
        #expect(began.wait(timeout: .now()) == .timedOut)
    }

    @Test("No more work runs at once than the pool is wide")
    func width() async throws {
        let pool = BlockingPool(width: 3)
        let slots = DispatchSemaphore(value: 3)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    try await pool.run {
                        // A fourth one at the same time would find no slot.
                        #expect(slots.wait(timeout: .now()) == .success)
                        slots.signal()
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
