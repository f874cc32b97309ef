import Basics
import Foundation
import Testing

@Suite("Patience")
struct PatienceTests {
    @Test(
        "the manuals give the limit that the programs use",
        arguments: ["OVERVIEW", "SEMANTICS", "STATUS", "TROUBLESHOOTING", "CONCURRENCY"])
    func manuals(_ name: String) throws {
        let documents = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs")
        let lines = try String(contentsOf: documents.appending(path: "\(name).md"), encoding: .utf8)
        let text = lines.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let seconds = Int(Patience.limit / .seconds(1))
        #expect(text.contains("\(seconds) seconds without") || text.contains("for \(seconds) seconds"))
    }
}
