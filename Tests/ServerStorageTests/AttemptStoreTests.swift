import Basics
import CloudProtocol
import Foundation
import Testing

@testable import ServerStorage

@Suite("Attempts that the processes of a cluster count together", .timeLimit(.minutes(10)))
struct AttemptStoreTests {
    /// Runs `body` with the counters of two processes.
    private func withProcesses(
        _ body: (_ one: AttemptStore, _ other: AttemptStore, SettableTime) async throws -> Void
    ) async throws {
        let time = SettableTime()
        try await withFolder { path in
            try await withStore(at: path, time: time) { store in
                let other = try ServerStore(path: path, serving: false, log: quiet, time: time)
                try await body(
                    AttemptStore(database: store.database, time: time),
                    AttemptStore(database: other.database, time: time), time)
                try await other.close()
            }
        }
    }

    @Test("five attempts are allowed at once, then one every twelve seconds, whichever process is asked")
    func shared() async throws {
        try await withProcesses { one, other, time in
            var allowed = 0
            for number in 0..<20 where try await (number % 2 == 0 ? one : other).take("a") { allowed += 1 }
            #expect(allowed == 5)
            let isOtherAllowed = try await one.take("b")
            #expect(isOtherAllowed)
            for second in 1...60 {
                time.advance(by: .seconds(1))
                if try await (second % 2 == 0 ? one : other).take("a") { allowed += 1 }
            }
            #expect(allowed == 10)
        }
    }

    @Test("concurrent attempts at two processes are never more than five")
    func concurrent() async throws {
        try await withProcesses { one, other, _ in
            let allowed = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<64 { group.addTask { try await (number % 2 == 0 ? one : other).take("a") } }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(allowed == 5)
        }
    }

    @Test("rows that no longer limit anything are removed")
    func removal() async throws {
        try await withProcesses { one, _, time in
            for number in 0..<100 { _ = try await one.take("\(number)") }
            time.advance(by: .seconds(100))
            _ = try await one.take("last")
            let count = try await one.database.read { try $0.value(Int.self, "SELECT COUNT(*) FROM attempt") }
            #expect(count == 1)
        }
    }

    @Test("a row that a process with a wrong clock wrote bars no address")
    func wrongClock() async throws {
        try await withProcesses { one, other, time in
            time.advance(by: .seconds(86_400))
            for _ in 0..<5 { _ = try await one.take("a") }
            time.advance(by: .seconds(-86_400))
            let isAllowed = try await other.take("a")
            #expect(isAllowed)
        }
    }
}
