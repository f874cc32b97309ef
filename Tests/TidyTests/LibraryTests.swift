import Foundation
import Testing

/// Checks the library that other people's programs import.
@Suite("The library's methods")
struct LibraryTests {
    @Test("each public method is called, or written as a program would call it, in a test, a test tool or the example")
    func methods() throws {
        let users =
            Repository.files(below: "Tests", ending: [".swift"]).filter { !$0.path.hasPrefix("Tests/TidyTests/") }
            + Repository.files(below: "Examples", ending: [".swift"])
        let words = Set(users.flatMap(\.lines).flatMap { $0.split { !$0.isLetter && !$0.isNumber && $0 != "_" } })
        let method = try Regex(
            #"^\s*(?:@\w+\s+)*(?:public|open)\s+(?:\w+\s+)*func\s+(\w+)"#, as: (Substring, Substring).self)
        var count = 0
        for file in Repository.files(below: "Sources/App", ending: [".swift"]) {
            for (number, line) in file.lines.enumerated() {
                guard let name = try method.prefixMatch(in: line)?.output.1 else { continue }
                count += 1
                // Compares outside the macro, because a failure would print every word.
                let isUsed = words.contains(name)
                #expect(isUsed, "\(file):\(number + 1): nothing uses \(name)")
            }
        }
        #expect(count > 100, "the pattern finds the methods")
    }
}
