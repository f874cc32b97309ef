import Synchronization
import Testing

@testable import ServerStorage

@Suite("Turns of accounts at pages", .timeLimit(.minutes(5)))
struct PageTurnTests {
    /// A gate for pages, so that a test decides when a page is complete.
    private final class Gate: Sendable {
        private let state = Mutex<(isOpen: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))

        func pass() async {
            await withCheckedContinuation { continuation in
                let isOpen = state.withLock { state in
                    if !state.isOpen { state.waiting.append(continuation) }
                    return state.isOpen
                }
                if isOpen { continuation.resume() }
            }
        }

        func open() {
            let waiting = state.withLock { state in
                defer { state = (true, []) }
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }
    }

    /// Counts pages under construction.
    private final class AtOnce: Sendable {
        private let state = Mutex<(now: Int, most: Int)>((0, 0))
        var most: Int { state.withLock { $0.most } }
        func begin() { state.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) } }
        func end() { state.withLock { $0.now -= 1 } }
    }

    @Test(
        "of many pages of an account one is made at a time, another account's does not wait, and too many are refused")
    func turns() async throws {
        let turns = PageTurns()
        let gate = Gate()
        let atOnce = AtOnce()
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<60 {
                group.addTask {
                    do {
                        try await turns.run(for: AccountID(1)) {
                            atOnce.begin()
                            await gate.pass()
                            atOnce.end()
                        }
                        return true
                    } catch let error as StorageError where error.code == .busy { return false }
                }
            }
            #expect(try await turns.run(for: AccountID(2)) { 7 } == 7)
            gate.open()
            var made = 0
            while let isMade = try await group.next() { made += isMade ? 1 : 0 }
            #expect(atOnce.most == 1)
            #expect((1...60).contains(made))
        }
        try await turns.close()
    }
}
