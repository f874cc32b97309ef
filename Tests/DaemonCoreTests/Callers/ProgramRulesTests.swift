import DaemonCore
import DaemonProtocol
import Foundation
import Logging
import TestSupport
import Testing
import VirtualFileSystem

@Suite("programs.json")
struct ProgramRulesTests {
    private func parse(_ text: String) throws -> [String: DownloadAllowance] {
        try ProgramRulesFile.parse(Array(text.utf8), path: "/p").allowances
    }

    @Test("names and absolute paths are read from the three lists, each of which may be absent")
    func valid() throws {
        let rules = try parse(#"{"full": ["borg", "/opt/my tool"], "deny": ["x", "x"], "head": []}"#)
        #expect(rules == ["borg": .full, "/opt/my tool": .full, "x": .deny])
        #expect(try parse("{}").isEmpty)
    }

    @Test(
        "anything else is refused with a message that names the file and the mistake",
        arguments: [
            ("", "not a JSON object"), ("[]", "not a JSON object"), (#"{"deny": "x"}"#, "not a JSON object"),
            (#"{"deny": [1]}"#, "not a JSON object"), (#"{"deny": ["x"]"#, "not a JSON object"),
            (#"{"block": ["x"]}"#, #""block" is not one of full, head and deny"#),
            (#"{"deny": [""]}"#, "is empty"), (#"{"deny": ["bin/x"]}"#, "does not begin with /"),
            (#"{"deny": ["/bin/"]}"#, "no path of a program"), (#"{"deny": ["a\u0000b"]}"#, "has a NUL"),
            (#"{"deny": ["x"], "full": ["x"]}"#, #""x" is in two lists"#),
            (#"{"a\nb": []}"#, #""a?b" is not one of"#),
            (#"{"deny": [""# + String(repeating: "x", count: 256) + #""]}"#, "too long"),
            (String(repeating: " ", count: (1 << 20) + 1), "more than 1 MiB"),
        ])
    func refused(text: String, message: String) throws {
        let failure = #expect(throws: DaemonFailure.self) { try parse(text) }
        #expect(failure?.path == "/p" && failure?.message.contains(message) == true, "\(String(describing: failure))")
        #expect(failure?.message.contains("\n") == false)
    }

    @Test("random texts are refused or give valid names, and never crash")
    func random() {
        var random = SeededGenerator(seed: 60)
        let pieces = [
            "{", "}", "[", "]", ",", ":", #""deny""#, #""full""#, #""head""#, #""x""#, #""/a""#, #""""#, "1", " ",
            "\u{0}",
        ]
        for _ in 0..<5_000 {
            let text = (0..<random.number(0..<12)).compactMap { _ in random.pick(pieces) }.joined()
            // Most texts are refused.
            guard let rules = try? parse(text) else { continue }
            #expect(rules.keys.allSatisfy { !$0.isEmpty })
        }
    }

    @Test("changed files are read again; one that is not valid keeps its rules and is reported once")
    func reload() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "programs-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (user, system) = (folder.appending(path: "user.json"), folder.appending(path: "system.json"))
        var log = Logger(label: "test")
        log.logLevel = .critical
        let settings = ProgramSettings([user.path, system.path], log: log)
        func allowance() -> DownloadAllowance {
            settings.policy.verdict(for: ProcessFacts(ProcessFacts.Program(name: "x"))).allowance
        }
        #expect(settings.reload().isEmpty && allowance() == .full)
        try Data(#"{"deny": ["x"]}"#.utf8).write(to: system, options: .atomic)
        #expect(allowance() == .full, "nothing is read without reload")
        #expect(settings.reload().isEmpty && allowance() == .deny)
        try Data(#"{"head": ["x"]}"#.utf8).write(to: user, options: .atomic)
        #expect(settings.reload().isEmpty && allowance() == .head)
        try Data("{".utf8).write(to: user, options: .atomic)
        #expect(settings.reload().map(\.path) == [user.path] && allowance() == .head)
        #expect(settings.reload().isEmpty)
        try FileManager.default.removeItem(at: user)
        #expect(settings.reload().isEmpty && allowance() == .deny)
        // A folder in the place of the file cannot be read.
        try FileManager.default.createDirectory(at: user, withIntermediateDirectories: true)
        #expect(settings.reload().count == 1 && allowance() == .deny)
    }

    @Test("the table of the manual lists the programs that are shipped")
    func manual() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/PROGRAMS.md")
        let rows = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("| ") }
        func listed(_ kind: String) -> [String] {
            rows.first { $0.hasPrefix("| \(kind) |") }?.matches(of: /`([^`]+)`/).map { String($0.1) } ?? []
        }
        #expect(listed("indexers") == BackgroundPrograms.indexers)
        #expect(listed("thumbnailers") == BackgroundPrograms.thumbnailers)
        #expect(listed("scanners") == BackgroundPrograms.scanners)
        #expect(listed("thumbnailers of KDE") == BackgroundPrograms.plugins.keys.sorted() + ["thumbnail.so"])
    }
}
