import Foundation
import Testing

@Suite("docs/THREATS.md")
struct ThreatDocumentTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    @Test("every test that the document names exists")
    func names() throws {
        let text = try String(contentsOf: Self.root.appending(path: "docs/THREATS.md"), encoding: .utf8)
        let names = Set(text.matches(of: /\*"([^"]+)"\*/).map { String($0.1) })
        #expect(names.count > 25)
        let tests = Self.root.appending(path: "Tests").path
        var sources = ""
        for case let path as String in FileManager.default.enumerator(atPath: tests) ?? .init()
        where path.hasSuffix(".swift") {
            sources += try String(contentsOfFile: "\(tests)/\(path)", encoding: .utf8)
        }
        for name in names { #expect(sources.contains("\"\(name)\""), "no test is called: \(name)") }
    }
}
