import Foundation
import Glibc
import TestSupport
import Testing

/// A program that shows a document until its end is requested.
struct Shown: Sendable {
    let device: TestDevice
    let name: String

    private var output: String { "\(device.state)/\(name).out" }
    private var end: String { "\(device.state)/\(name).end" }
    private var input: String { "\(device.state)/\(name).in" }

    /// Runs until ``stop()`` is called; by then the program has read its input line by line.
    func run(_ tool: String, _ arguments: String) async throws -> ProgramOutcome {
        let feed =
            "touch \(input); tail -n +1 -s 0.05 -f \(input) & t=$!; while ! [ -e \(end) ]; do sleep 0.05; done; kill $t"
        return try await device.tryShell(
            "{ \(feed); } | UBIQUITY_MOUNT='\(device.mount)' \(device.binaries)/\(tool) \(arguments) > \(output)"
        )
    }

    func stop() { _ = FileManager.default.createFile(atPath: end, contents: nil) }

    func type(_ line: String) throws {
        if !FileManager.default.fileExists(atPath: input) {
            _ = FileManager.default.createFile(atPath: input, contents: nil)
        }
        let file = try #require(FileHandle(forWritingAtPath: input))
        try file.seekToEnd()
        try file.write(contentsOf: Data("\(line)\n".utf8))
        try file.close()
    }

    /// The program's output lines so far.
    var said: [String] {
        // There is no output before the shell has created the file.
        let text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    /// The lines without those about the daemon's upload requests and about the state in the cloud, which arrive at any
    /// time.
    var notices: [String] {
        said.filter { !["reader", "save", "back"].contains($0) && !$0.hasPrefix("attribute ") }
    }

    func says(_ line: String, times: Int = 1) async throws {
        try await eventually("it says “\(line)”") {
            said.count { $0 == line } >= times
        } describe: {
            "\(said)"
        }
    }
}

extension TestDevice {
    /// Runs a program that shows a document while `body` runs, beginning when the program has printed `first`.
    func showing(
        _ tool: String, _ arguments: String, first: String, name: String = "shown", _ body: (Shown) async throws -> Void
    ) async throws {
        let shown = Shown(device: self, name: name)
        async let program = shown.run(tool, arguments)
        do {
            try await shown.says(first)
            try await body(shown)
        } catch {
            shown.stop()
            throw error
        }
        shown.stop()
        _ = try await program
    }

    /// Presents a document with the tool that prints its messages.
    func presenting(
        _ arguments: String, name: String = "shown", _ body: (Shown) async throws -> Void
    ) async throws {
        try await showing("presenter-tool", "present \(arguments)", first: "presenting", name: name, body)
    }

    /// Sends a signal to the tools presenting any of the documents.
    func signalPresenters(_ number: Int32) async throws {
        let text = try await shell("pgrep -f '^[^ ]*/presenter-tool .*\(documents)/' || true")
        for pid in text.split(separator: "\n").compactMap({ Int32($0) }) { Glibc.kill(pid, number) }
    }

    /// Returns the example program's shell command.
    func note(_ command: String) -> String { "UBIQUITY_MOUNT='\(mount)' \(binaries)/NoteTaker \(command)" }
}
