import Foundation
import TestSupport
import Testing

extension PowerLoss {
    /// A short run of the tool; `make powerloss` goes through thousands of states.
    @Suite("Crash states, block by block")
    struct CrashStateTests {
        @Test(
            "whatever writes were lost or torn since the last flush, what was acknowledged is there, and nothing else")
        func states() async throws {
            // Other work and other states each day; a failure prints the seed.
            let seed = UInt64(Date.now.timeIntervalSince1970) / 86_400
            let said = try await tool(["--states", "150", "--steps", "80", "--seed", "\(seed)"])
            #expect(said.contains("150 crash states"), "\(said)")
            #expect(said.contains("none lost anything"), "\(said)")
        }

        @Test("three mistakes in the order of syncs are each found")
        func mistakes() async throws {
            let said = try await tool(["--prove", "--each", "400"])
            #expect(said.matches(of: /: found in \d+ crash states/).count == 3, "\(said)")
        }

        /// Runs it to its end. Throws what it said unless all is well.
        private func tool(_ arguments: [String]) async throws -> String {
            let runner = ProgramRunner(environment: [:]) {}
            return try await runner.run(
                try TestDevices.binaries() + "/powerloss", arguments, in: "/", limit: .seconds(900)
            ).text()
        }
    }
}
