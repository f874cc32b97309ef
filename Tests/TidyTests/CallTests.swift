import Foundation
import Testing

/// Checks that a new call has everything it needs besides its type and its registration.
@Suite("Calls of the socket")
struct CallTests {
    /// Returns the names of the types of all calls, found in the source.
    private static func calls() -> [String] {
        Repository.files(below: "Sources/Protocols/DaemonProtocol", ending: [".swift"]).flatMap { file in
            file.lines.compactMap { $0.firstMatch(of: /struct (\w+): DaemonCall\b/).map { String($0.1) } }
        }
    }

    @Test(
        "every call has a sample among the messages, and the fuzz target decodes it",
        arguments: ["Tests/DaemonProtocolTests/Samples.swift", "Tests/FuzzTests/Decoders/FrameTarget.swift"])
    func complete(_ path: String) throws {
        let name = (path as NSString).lastPathComponent
        let folder = (path as NSString).deletingLastPathComponent
        let file = try #require(Repository.files(below: folder, ending: [name]).first)
        let text = file.lines.joined(separator: "\n")
        let calls = Self.calls()
        #expect(calls.count >= 39)
        for call in calls { #expect(text.contains("\(call)(") || text.contains("\(call).self"), "\(call)") }
    }
}
