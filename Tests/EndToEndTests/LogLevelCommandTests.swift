import TestSupport
import Testing

extension EndToEnd {
    @Suite("The log level of a running daemon")
    struct LogLevelCommandTests {
        @Test("the level is shown and changed, also for later starts; one that does not exist is a mistake of usage")
        func change() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let before = try await test.a.ubiquity(["log-level"]).text()
                #expect(before == "info")
                let outcome = try await test.a.ubiquity(["log-level", "debug"]).text()
                #expect(outcome == "\(test.a.mount): logs debug from now on, also after a restart.")
                let document = try await test.a.ubiquity(["log-level", "--json"]).text()
                #expect(document.contains(/"level" ?: ?"debug"/), "\(document)")
                let wrong = try await test.a.ubiquity(["log-level", "loud"])
                #expect(wrong.status == 64 && wrong.errors.contains("trace, debug, info"), "\(wrong)")
                try await test.a.restart()
                let after = try await test.a.ubiquity(["log-level"]).text()
                #expect(after == "debug")
            }
        }
    }
}
