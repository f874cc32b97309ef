import CloudStorage
import Dispatch
import Synchronization
import Testing

@testable import DirectoryCloud

@Suite("Threads for blocking work", .timeLimit(.minutes(10)))
struct DirectoryThreadsTests {
    @Test("Work returns its value or its error")
    func outcomes() async throws {
        let threads = DirectoryThreads(width: 2)
        #expect(try await threads.run { 7 } == 7)
        await #expect(throws: CloudError.self) { try await threads.run { throw CloudError(.failed, "no") } }
    }

    @Test("A cancelled caller returns at once while its work hangs, and other work continues")
    func cancellation() async throws {
        let threads = DirectoryThreads(width: 2)
        let (started, hang) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let caller = Task {
            try await threads.run {
                started.signal()
                hang.wait()
            }
        }
        try await threads.run { started.wait() }
        caller.cancel()
        // The call returns although `hang` was not signalled.
        await #expect(throws: CancellationError.self) { try await caller.value }
        #expect(try await threads.run { 1 } == 1)
        hang.signal()
    }

    @Test("A caller that is cancelled while its result is used waits for the end of that")
    func use() async throws {
        let threads = DirectoryThreads(width: 2)
        let (began, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let used = Atomic(0)
        let caller = Task {
            try await threads.run {
                7
            } then: { value in
                began.signal()
                goOn.wait()
                used.store(value, ordering: .sequentiallyConsistent)
                return value
            }
        }
        try await threads.run { began.wait() }
        caller.cancel()
        goOn.signal()
        #expect(try await caller.value == 7)
        let value = used.load(ordering: .sequentiallyConsistent)
        #expect(value == 7)
    }

    @Test("The result of work is not used once its caller was cancelled")
    func unused() async throws {
        let threads = DirectoryThreads(width: 1)
        let (began, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let used = Atomic(false)
        let caller = Task {
            try await threads.run {
                began.signal()
                goOn.wait()
            } then: {
                used.store(true, ordering: .sequentiallyConsistent)
            }
        }
        // Not on the threads: the only thread hangs.
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                began.wait()
                continuation.resume()
            }
        }
        caller.cancel()
        await #expect(throws: CancellationError.self) { try await caller.value }
        goOn.signal()
        try await threads.run {}
        let isUsed = used.load(ordering: .sequentiallyConsistent)
        #expect(!isUsed)
    }

    @Test("Work that was cancelled before its turn is not started")
    func neverBegun() async throws {
        let threads = DirectoryThreads(width: 1)
        let hang = DispatchSemaphore(value: 0)
        let began = DispatchSemaphore(value: 0)
        let first = Task { try await threads.run { hang.wait() } }
        let second = Task { try await threads.run { began.signal() } }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        hang.signal()
        try await first.value
        try await threads.run {}
        #expect(began.wait(timeout: .now()) == .timedOut)
    }

    @Test("No more jobs run at once than there are threads")
    func width() async throws {
        let threads = DirectoryThreads(width: 3)
        let slots = DispatchSemaphore(value: 3)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    try await threads.run {
                        // A fourth task running at the same time would find no slot.
                        #expect(slots.wait(timeout: .now()) == .success)
                        slots.signal()
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
