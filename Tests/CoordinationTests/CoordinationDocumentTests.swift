import Foundation
import Testing

@Suite("docs/COORDINATION.md")
struct CoordinationDocumentTests {
    @Test("Every test that the document names exists")
    func names() throws {
        let tests = URL(filePath: #filePath).deletingLastPathComponent()
        let document = tests.appending(path: "../../docs/COORDINATION.md").standardizedFileURL
        let named = try String(contentsOf: document, encoding: .utf8).matches(of: /(?:\| |, )\*([^*|]+)\*/).map(\.1)
        #expect(named.count > 20)
        let folders =
            [tests] + ["EndToEndTests", "UbiquityTests"].map { tests.appending(path: "../\($0)").standardizedFileURL }
        let sources = try folders.flatMap { folder in
            try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
                .map { try String(contentsOf: folder.appending(path: $0), encoding: .utf8) }
        }
        for name in named {
            #expect(sources.contains { $0.contains("\"\(name)\"") }, "no test is called “\(name)”")
        }
    }
}
