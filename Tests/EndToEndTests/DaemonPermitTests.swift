import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// The daemon among coordinating programs: uploads, newer versions, evictions.
    @Suite("The daemon's permits")
    struct DaemonPermitTests {
        /// Runs a script in an accessor until `go` exists; `body` runs while the claim is held.
        private func holding(
            _ device: TestDevice, _ mode: String, _ script: String, _ body: () async throws -> Void
        ) async throws -> String {
            let go = "\(device.state)/go-\(mode)"
            let wait = "touch \(go).held; while ! [ -e \(go) ]; do sleep 0.02; done"
            let command = script.replacing("WAIT", with: wait)
            async let program = device.tryShell("\(device.command(["coordinate", mode, "f"])) -- sh -c '\(command)'")
            try await eventually("the claim is held") { FileManager.default.fileExists(atPath: "\(go).held") }
            let outcome: Result<Void, any Error>
            do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
            // The program has to end even if `body` has failed.
            _ = FileManager.default.createFile(atPath: go, contents: nil)
            let output = try await program.output.trimmingCharacters(in: .newlines)
            try outcome.get()
            return output
        }

        @Test(
            "an edit under a claim is uploaded complete when the claim ends; other documents do not wait for it"
        )
        func upload() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell("echo old > f")
                try await a.sync()
                _ = try await holding(a, "write", "echo half > f; WAIT; echo whole > f") {
                    try await a.shell("echo other > g")
                    try await eventually("the other document arrives") { try await b.list().contains("g") }
                    #expect(try await a.attribute("isUploaded", of: "f") == "0")
                    #expect(try await b.contents("f") == "old")
                }
                try await eventually("the whole arrives") {
                    try await b.contents("f") == "whole"
                } describe: {
                    try await b.contents("f")
                }
                let versions = try await b.ubiquity(["conflicts", b.mount]).text()
                #expect(versions == "No conflicts.")
            }
        }

        @Test("a newer version replaces a document only when no program reads it under a claim any more")
        func swap() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell("echo old > f")
                try await a.sync()
                try await b.sync()
                try await b.download("f")
                let read = try await holding(b, "read", "WAIT; cat f") {
                    try await a.shell("echo new > f; echo other > g")
                    try await a.sync()
                    try await eventually("the other document arrives") { try await b.list().contains("g") }
                    try await eventually("the new version is known") {
                        try await b.attribute("status", of: "f") == "downloaded"
                    }
                    #expect(try await b.contents("f") == "old")
                }
                #expect(read == "old")
                try await eventually("the new version shows") { try await b.contents("f") == "new" }
            }
        }

        @Test("a placeholder keeps its state while it is claimed, and is updated afterwards")
        func placeholder() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell("echo old > f")
                try await a.sync()
                try await b.sync()
                let size = try await holding(b, "write", "WAIT; stat -c %s f") {
                    try await a.shell("echo newer > f; echo other > g")
                    try await a.sync()
                    try await eventually("the other document arrives") { try await b.list().contains("g") }
                }
                #expect(size == "4")
                try await eventually("the new version shows") { try await b.contents("f") == "newer" }
            }
        }
    }
}
