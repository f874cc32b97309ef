import CloudProtocol
import Foundation
import ServerStorage
import ServerSupport
import TestSupport
import Testing

@Suite("docs/PROTOCOL.md, the server")
struct RouteDocumentTests {
    private static let text: String = {
        var file = URL(filePath: #filePath)
        for _ in 0..<3 { file.deleteLastPathComponent() }
        // If the document is absent, the text is empty and the tests below fail.
        return (try? String(contentsOf: file.appending(path: "docs/PROTOCOL.md"), encoding: .utf8)) ?? ""
    }()

    @Test("the examples print what the page shows")
    func examples() async throws {
        let section = try #require(Self.text.firstRange(of: "### By example"))
        let lines = Self.text[section.upperBound...].split(separator: "\n").filter { $0.hasPrefix("    ") }.map {
            $0.dropFirst(4)
        }
        let commands = lines.filter { $0.hasPrefix("$ ") }.map { String($0.dropFirst(2)) }
        #expect(commands.count > 20)
        // The `echo` after each command ends its output with a newline, even if the command prints none.
        let script = commands.map { "echo '$ '; \($0)\necho" }.joined(separator: "\n")
        let folder = "\(NSTemporaryDirectory())/ubiquity-examples-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let said = try await withServer(folder: folder) { server in
            try await server.store.accounts.add("anna", quota: 1_000_000)
            let runner = ProgramRunner(
                environment: [
                    "SERVER": server.address.description, "DATA": folder,
                    "CODE": try await server.store.accounts.addCode(for: "anna").text,
                    "CODE2": try await server.store.accounts.addCode(for: "anna").text,
                ]
            ) {}
            return try await runner.run("bash", ["-c", script], in: "/", limit: .seconds(60)).output
        }
        let found = said.split(separator: "\n").map { $0.trimmingPrefix(" ") }
        let expected = lines.map { $0.hasPrefix("$ ") ? "$ " : $0 }
        #expect(found.map(String.init) == expected.map(String.init))
    }

    @Test("every failure and its status is in the table", arguments: CloudFailure.Code.allCases)
    func failures(_ code: CloudFailure.Code) throws {
        let row = Self.text.split(separator: "\n").first {
            $0.hasPrefix("| ") && $0.contains("`\(code.rawValue)`") && $0.contains(" \(code.status) ")
        }
        #expect(row != nil)
    }
}
