import Foundation
import TestSupport
import Testing

/// A command that keeps running, with its output so far.
struct Lasting: Sendable {
    let output: String

    var lines: [String] {
        // There is no output before the shell has created the file.
        let text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    /// Waits for the command's message that it has begun.
    func begins() async throws {
        try await eventually("it has begun") {
            // There are no messages before the shell has created the file.
            (try? String(contentsOfFile: output + ".messages", encoding: .utf8))?.isEmpty == false
        }
    }

    func prints(_ what: String, _ condition: @Sendable (String) -> Bool) async throws {
        try await eventually("it prints \(what)") {
            lines.contains(where: condition)
        } describe: {
            "\(lines)"
        }
    }
}

extension TestDevice {
    /// Runs a command while `body` runs, then ends it with a signal.
    func lasting(
        _ arguments: String, _ body: (Lasting) async throws -> Void
    ) async throws {
        let name = "\(state)/lasting-\(UUID().uuidString)"
        let script =
            "'\(binaries)/ubiquity' \(arguments) > '\(name)' 2> '\(name).messages' & p=$!; "
            + "while ! [ -e '\(name).end' ]; do sleep 0.05; done; kill $p || exit 9; wait $p || true"
        async let program = tryShell(script)
        let command = Lasting(output: name)
        var failure: (any Error)?
        do { try await body(command) } catch { failure = error }
        _ = FileManager.default.createFile(atPath: "\(name).end", contents: nil)
        #expect(try await program.status == 0, "it had ended before its end was requested")
        if let failure { throw failure }
    }
}
