import TestSupport
import Testing

extension EndToEnd {
    /// A question of the kernel costs ten times what its own memory does, so what a workload asks is held to the number. Unlike times
    /// it does not depend on the machine.
    @Suite("Requests of the kernel", .needsRoot)
    struct RequestCountTests {
        /// The requests of `script` after `preparation`, on a device of its own.
        private func cost(of script: String, after preparation: String = "true") async throws -> [String: Int] {
            var counts: [String: Int] = [:]
            try await TestDevices.with(devices: ["A"]) { test in
                try await test.a.shell(preparation)
                counts = try await test.a.requests(of: script)
            }
            return counts
        }

        @Test("stat of a name that is there asks once, however often it is repeated")
        func stat() async throws {
            let twice = try await cost(of: "stat file file > /dev/null; stat file > /dev/null", after: "touch file; sync")
            #expect(twice == [:])
        }
    }
}
