import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// README's tour, command by command.
    @Suite("README")
    struct TourTests {
        private struct Step {
            let command: String
            /// The page's output for the command, and its exit status.
            var output: [String] = []
        }

        private static func steps() throws -> [Step] {
            var file = URL(filePath: #filePath)
            for _ in 0..<3 { file.deleteLastPathComponent() }
            let text = try String(contentsOf: file.appending(path: "README.md"), encoding: .utf8)
            let tour = try #require(text.firstRange(of: "\n## A tour\n")).upperBound
            let end = try #require(text[tour...].firstRange(of: "\n## ")).lowerBound
            var steps: [Step] = []
            for line in text[tour..<end].split(separator: "\n", omittingEmptySubsequences: false)
            where line.hasPrefix("    ") {
                let line = line.dropFirst(4)
                if line.hasPrefix("$ ") {
                    steps.append(Step(command: String(line.dropFirst(2))))
                } else {
                    steps[steps.count - 1].output.append(String(line))
                }
            }
            return steps
        }

        /// Replaces differences between runs: times, process and device numbers, sizes of system files, white space.
        private func comparable(_ text: String, home: String) -> String {
            var text = text.replacing(home, with: "/home/anna")
            let differing: [(any RegexComponent, String)] = [
                (/\d{4}-\d\d-\d\d[ T]\d\d[:.]\d\d[:.]\d\d(\.\d+Z)?/, "TIME"),
                (/(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +\d+ +(\d\d:\d\d|\d{4})/, "DAY"),
                (/\b[0-9a-f]{16,32}\b/, "ID"), (/(daemon|pid) \d+/, "PROCESS"), (/\broot|anna\b/, "USER"),
                (/\b\d+(\.\d+)?( [KMGTi]+B| B|K|M)?\b/, "N"), (/\s+/, " "),
            ]
            for (pattern, name) in differing { text = replacing(pattern, in: text, with: name) }
            return text.trimmingCharacters(in: .whitespaces)
        }

        private func replacing(_ pattern: some RegexComponent, in text: String, with name: String) -> String {
            text.replacing(pattern, with: name)
        }

        @Test(
            "the tour in README prints what README says",
            .enabled(if: FileManager.default.fileExists(atPath: "/usr/share/doc/bash/NEWS.gz")))
        func tour() async throws {
            try await TestDevices.with(devices: []) { test in
                let home = "\(test.root)/home"
                let runner = test.runner.adding(["PATH": "\(try TestDevices.binaries()):/usr/bin:/bin:/usr/sbin:/sbin"])
                do {
                    for step in try Self.steps() {
                        let outcome = try await runner.run("bash", ["-c", step.command], in: home)
                        var said = outcome.output + (outcome.succeeded ? "" : outcome.errors)
                        if !outcome.succeeded { said += "(exit status \(outcome.status))" }
                        let lines = said.split(separator: "\n").map { comparable(String($0), home: home) }
                        let expected = step.output.map { comparable($0, home: home) }
                        #expect(lines == expected, "\(step.command)\n\(said)\(outcome.errors)")
                    }
                } catch {
                    try await unmount(runner, home)
                    throw error
                }
                try await unmount(runner, home)
            }
        }

        private func unmount(_ runner: ProgramRunner, _ home: String) async throws {
            for mount in ["MobileDocuments", "Laptop"] {
                _ = try await runner.run("ubiquity", ["unmount", mount], in: home)
            }
        }
    }
}
