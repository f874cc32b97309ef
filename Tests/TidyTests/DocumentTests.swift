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

    /// Pages about names of another platform.
    private static let foreign = ["Sources/App/Ubiquity/Ubiquity.docc/ComingFromApplesPlatforms.md"]
    /// Names of systemd and KDE.
    private static let others: Set<Substring> = [
        "LoadCredential", "EnvironmentFile", "KOverlayIconPlugin", "KAbstractFileItemActionPlugin",
    ]

    @Test("every identifier in a document exists")
    func identifiers() {
        let code = Repository.files(ending: [".swift", ".py", ".c", ".h", ".js", ".json", ".sh", "Makefile"])
        func isPart(_ byte: UInt8) -> Bool {
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x5F
        }
        let known = code.reduce(into: Self.others) { known, file in
            for line in file.lines { known.formUnion(line.utf8.split { !isPart($0) }.map { Substring($0) }) }
        }
        for document in Repository.files(ending: [".md"])
        where !Self.foreign.contains(document.path) && !document.path.hasPrefix("changelog/") {
            for (number, line) in document.prose {
                for match in line.matches(of: /`([A-Za-z][A-Za-z0-9]*)[.(`]/) {
                    // Others are words, commands and names of files.
                    guard match.1.contains(/[a-z][A-Z]/) else { continue }
                    if !known.contains(match.1) {
                        Issue.record("\(document):\(number) names \(match.1), which does not exist")
                    }
                }
            }
        }
    }

    @Test("the table of locks has the ranks of the code, in their order, each with locks that have the rank")
    func lockRanks() throws {
        let sources = Repository.files(ending: [".swift"]).filter { $0.path.hasPrefix("Sources/") }
        let ranks = try #require(sources.first { $0.path.hasSuffix("/LockRank.swift") }).lines
            .compactMap { $0.firstMatch(of: /^    case (\w+)$/)?.1 }
        let document = try #require(Repository.files(ending: [".md"]).first { $0.path == "docs/CONCURRENCY.md" })
        let rows = document.lines.compactMap { $0.firstMatch(of: /^\| `(\w+)` \| (?:`(\w+)\.(\w+)`)?/) }
            .filter { ranks.contains($0.1) }
        #expect(rows.map(\.1) == ranks)
        for row in rows {
            guard let type = row.2, let name = row.3 else { continue }
            let lines = sources.filter { $0.path.contains("/\(type).swift") }.flatMap(\.lines)
            let isDirect = lines.contains { $0.contains(" \(name) = ") && $0.contains("(.\(row.1)") }
            let isEntered = lines.contains { $0.contains("LockRank.\(row.1).enter()") }
            let isLater = lines.contains { $0.contains("RankedMutex(.\(row.1),") || $0.contains(".\(row.1), ") }
            #expect(isDirect || isEntered || isLater, "\(type).\(name) does not have the rank \(row.1)")
        }
    }

    @Test("a line of text in a document has at most 120 characters")
    func width() {
        for document in Repository.files(ending: [".md"]) where !document.path.hasPrefix("changelog/") {
            for (number, line) in document.prose where line.count > 120 && !line.isUnbreakable {
                Issue.record("\(document):\(number) has \(line.count) characters")
            }
        }
    }
}

extension Repository.File {
    /// The lines outside of code, with their numbers.
    fileprivate var prose: [(number: Int, line: Substring)] {
        var isCode = false
        return lines.enumerated().compactMap { index, line in
            if line.drop(while: { $0 == " " }).hasPrefix("```") { isCode.toggle() }
            return isCode || line.hasPrefix("    ") ? nil : (index + 1, line[...])
        }
    }
}

extension Substring {
    /// Rows of tables, headings, quotations and definitions of links are not broken, nor lines in which code or a link is behind column 120.
    fileprivate var isUnbreakable: Bool {
        guard let first = drop(while: { $0 == " " }).first, !"|#>[<!".contains(first) else { return true }
        return contains("`") || contains("](")
    }
}
