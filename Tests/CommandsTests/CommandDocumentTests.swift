import Commands
import Foundation
import Testing

@Suite("The README's table of commands")
struct CommandDocumentTests {
    @Test("The table names exactly the commands that exist")
    func names() throws {
        let readme = URL(filePath: #filePath).appending(path: "../../../README.md").standardizedFileURL
        let rows = try String(contentsOf: readme, encoding: .utf8).split(separator: "\n")
            .filter { $0.hasPrefix("| `ubiquity ") }
        // A row can name several commands: `ubiquity download PATH…` · `evict PATH…`.
        let named = rows.flatMap { row in
            row.split(separator: " | ")[0].matches(of: /`(?:ubiquity )?([a-z-]+)[^`]*`/).map { String($0.1) }
        }
        #expect(Set(named) == Set(CommandLineTool.commandNames))
    }
}
