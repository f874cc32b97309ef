import Foundation
import Testing

@Suite("Documents")
struct DocumentTests {
    @Test("the overview has every module, with its folder")
    func modules() throws {
        let overview = try String(contentsOf: Repository.root.appending(path: "docs/OVERVIEW.md"), encoding: .utf8)
        for module in try Manifest.current().modules where !module.isTest {
            let folder = module.path.hasPrefix("Sources/") ? String(module.path.dropFirst(8)) : module.path
            let isThere = overview.contains("`\(module.name)`") && overview.contains("`\(folder)`")
            #expect(isThere, "docs/OVERVIEW.md does not tell of \(module.name) in \(folder)")
        }
    }

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
