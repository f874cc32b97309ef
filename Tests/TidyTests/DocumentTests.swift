import Foundation
import Testing

@Suite("Documents")
struct DocumentTests {
    @Test("the overview lists every module with its folder")
    func modules() throws {
        let overview = try String(contentsOf: Repository.root.appending(path: "docs/OVERVIEW.md"), encoding: .utf8)
        for module in try Manifest.current().modules where !module.isTest {
            let folder = module.path.hasPrefix("Sources/") ? String(module.path.dropFirst(8)) : module.path
            let isThere = overview.contains("`\(module.name)`") && overview.contains("`\(folder)`")
            #expect(isThere, "docs/OVERVIEW.md does not tell of \(module.name) in \(folder)")
        }
    }

    @Test("every test that the table of waits names exists")
    func waits() throws {
        let text = try String(contentsOf: Repository.root.appending(path: "docs/CONCURRENCY.md"), encoding: .utf8)
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("| for ") }
        #expect(rows.count > 12)
        let sources = try Repository.files(ending: [".swift"]).filter { $0.path.hasPrefix("Tests/") }.map { file in
            try String(contentsOf: Repository.root.appending(path: file.path), encoding: .utf8)
        }
        for row in rows {
            let names = row.matches(of: /\*([^*|]+)\*/).map { String($0.1) }
            #expect(!names.isEmpty, "no test: \(row)")
            for name in names {
                #expect(sources.contains { $0.contains("\"\(name)\"") }, "no test is called “\(name)”")
            }
        }
    }

    @Test("the index of decisions has every page in order, with the title of the page")
    func decisions() throws {
        let pages = Repository.files(ending: [".md"]).filter {
            $0.path.wholeMatch(of: /docs\/decisions\/\d{4}-.*/) != nil
        }
        let rows = try pages.sorted { $0.path < $1.path }.map { page in
            let name = try #require(page.path.split(separator: "/").last)
            let title = try #require(page.lines.first?.wholeMatch(of: /# 0*\d+[.:] (.*)/)?.1)
            return "| [\(name.prefix(4))](\(name)) | \(title) |"
        }
        let index = try String(contentsOf: Repository.root.appending(path: "docs/decisions/README.md"), encoding: .utf8)
        let shown = index.split(separator: "\n").map(String.init).filter { $0.hasPrefix("| [") }
        #expect(shown == rows, "run scripts/decision-index")
    }

    @Test("every link to a file of the project is valid")
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
