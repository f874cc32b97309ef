import Foundation
import TestSupport
import Testing

extension PowerLoss {
    /// Runs the tool briefly. `make powerloss` checks thousands of states.
    @Suite("Crash states, block by block")
    struct CrashStateTests {
        @Test(
            "whichever writes since the last flush are lost or torn, all acknowledged data is there, and no data that was never written"
        )
        func states() async throws {
            // The work and the crash states differ each day; a failure prints the seed.
            let seed = UInt64(Date.now.timeIntervalSince1970) / 86_400
            let output = try await tool(["--states", "150", "--steps", "80", "--seed", "\(seed)"])
            #expect(output.contains("150 crash states"), "\(output)")
            #expect(output.contains("none lost anything"), "\(output)")
        }

        @Test("three mistakes in the order of syncs are each detected")
        func mistakes() async throws {
            let output = try await tool(["--prove", "--each", "400"])
            #expect(output.matches(of: /: found in \d+ crash states/).count == 3, "\(output)")
        }

        /// Runs the tool to its end and returns its output.
        ///
        /// - Throws: The tool's output if it fails.
        private func tool(_ arguments: [String]) async throws -> String {
            let runner = ProgramRunner(environment: [:]) {}
            return try await runner.run(
                try TestDevices.binaries() + "/powerloss", arguments, in: "/", limit: .seconds(900)
            ).text()
        }
    }
}
