import Foundation
import Testing

@Suite("Documents")
struct DocumentTests {
    @Test("every link to a file of the project leads to one")
    func links() {
        for document in Repository.files(ending: [".md"]) {
            let folder = document.path.split(separator: "/").dropLast().joined(separator: "/")
            var isCode = false
            for (number, line) in document.lines.enumerated() {
                if line.hasPrefix("```") { isCode.toggle() }
                for match in isCode ? [] : line.matches(of: /\]\(([^)\s#]+)(?:#[^)]*)?\)/) {
                    let target = String(match.1)
                    guard !target.contains("://"), !target.hasPrefix("mailto:") else { continue }
                    let path = target.hasPrefix("/") ? String(target.dropFirst()) : "\(folder)/\(target)"
                    #expect(Repository.exists(path), "\(document):\(number + 1) links to \(target), which is not there")
                }
            }
        }
    }
}
