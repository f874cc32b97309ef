import CloudModel
import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Compares the patterns of ignore files with those of the installed git, over random files and paths.
    @Suite("Ignore files and git")
    struct IgnoreGitTests {
        @Test("git and this implementation ignore the same paths for the same reasons")
        func same() async throws {
            let seed = UInt64.random(in: 0...UInt64.max)
            print("seed \(seed)")
            var random = SeededGenerator(seed: seed)
            try await TestDevices.with(devices: []) { test in
                var ignored = 0
                for round in 0..<20 {
                    let tree = RandomTree(&random)
                    let folder = try test.plain("round-\(round)")
                    try tree.write(to: folder)
                    let theirs = try await tree.git(in: folder, test.runner)
                    for path in tree.paths {
                        let ours = try tree.decision(on: path)
                        #expect(ours == theirs[RandomTree.plain(path)], "\(path) with \(tree.texts), seed \(seed)")
                        if ours != nil { ignored += 1 }
                    }
                }
                #expect(ignored > 100, "hardly any pattern matched")
            }
        }
    }
}

/// The line and file that ignore a path.
private struct Decision: Hashable {
    let file: String
    let line: Int
}

/// Folders and files with ignore files in some of the folders.
private struct RandomTree {
    /// Files and folders; folders end with a slash.
    private(set) var paths: [String] = []
    /// The ignore files, by their folders: empty, or with a slash at the end.
    private(set) var texts: [String: String] = [:]

    private static let names = ["a", "b", "c", "ab", "foo", "bar", "a.o", "b.log", "[a]", "x y", "*", "#a", "!b"]
    private static let pieces = [
        "a", "b", "c", "foo", "bar", ".o", ".log", "*", "*", "**", "?", "/", "/", "[ab]", "[!a]", "[a-c]", "[]a]",
        "[[:alpha:]]", "[[:punct:]]", "\\*", "\\a", "\\ ", " ", "#", "!", "**/", "/**", "/**/", "[", "\\",
    ]

    init(_ random: inout SeededGenerator) {
        texts[""] = Self.text(&random)
        var folders = [""]
        while let folder = folders.popLast() {
            for name in Self.names where random.chance(folder.isEmpty ? 60 : 25) {
                let isFolder = random.chance(40) && folder.split(separator: "/").count < 4
                paths.append("\(folder)\(name)\(isFolder ? "/" : "")")
                guard isFolder, let path = paths.last else { continue }
                folders.append(path)
                if random.chance(25) { texts[path] = Self.text(&random) }
            }
        }
    }

    private static func text(_ random: inout SeededGenerator) -> String {
        var text = random.chance(10) ? "\u{FEFF}" : ""
        for _ in 0..<random.number(1..<8) {
            let pattern = pattern(&random)
            text += "\(pattern)\(random.chance(10) ? "  " : "")\(random.chance(10) ? "\r\n" : "\n")"
        }
        return text
    }

    private static func pattern(_ random: inout SeededGenerator) -> String {
        while true {
            let parts = (0..<random.number(1..<6)).compactMap { _ in random.pick(Self.pieces) }
            let pattern =
                (random.chance(15) ? "!" : "") + (random.chance(15) ? "/" : "") + parts.joined()
                + (random.chance(15) ? "/" : "")
            if !differsInGit(pattern) { return pattern }
        }
    }

    /// Returns whether git may deviate from its own documentation: it compares the beginning up to the first special
    /// character separately, and then takes asterisks there for those at the start of a pattern, so that `a**/b`
    /// matches `ab`.
    private static func differsInGit(_ pattern: String) -> Bool {
        guard let special = pattern.firstIndex(where: { "*?[\\".contains($0) }), special > pattern.startIndex,
            pattern[special...].hasPrefix("**")
        else { return false }
        return pattern[pattern.index(before: special)] != "/"
    }

    func write(to folder: String) throws {
        for path in paths {
            if path.hasSuffix("/") {
                try FileManager.default.createDirectory(
                    atPath: "\(folder)/\(path)", withIntermediateDirectories: true)
            } else {
                try Data().write(to: URL(filePath: "\(folder)/\(path)"))
            }
        }
        for (path, text) in texts {
            try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(path).gitignore"))
        }
        try Data(paths.map(Self.plain).joined(separator: "\0").utf8).write(to: URL(filePath: "\(folder).paths"))
    }

    /// Returns the path without the trailing slash of a folder: git would take the empty name behind it.
    static func plain(_ path: String) -> String { path.hasSuffix("/") ? String(path.dropLast()) : path }

    /// Returns git's decisions, by path.
    func git(in folder: String, _ runner: ProgramRunner) async throws -> [String: Decision] {
        let script = """
            git init -q .
            git check-ignore --no-index -v -z --stdin < '\(folder).paths' || test $? = 1
            """
        let text = try await runner.run("bash", ["-euc", script], in: folder).text()
        var fields = text.split(separator: "\0", omittingEmptySubsequences: false)[...]
        var decisions: [String: Decision] = [:]
        // The file, the line, the pattern and the path.
        while fields.count >= 4 {
            let (file, line, pattern, path) = (
                String(fields.removeFirst()), Int(fields.removeFirst()), fields.removeFirst(), fields.removeFirst()
            )
            if !pattern.hasPrefix("!") { decisions[String(path)] = Decision(file: file, line: line ?? 0) }
        }
        return decisions
    }

    /// Returns this implementation's decision.
    func decision(on path: String) throws -> Decision? {
        let names = path.split(separator: "/").map(String.init)
        let folders = names.indices.map { names[..<$0].map { "\($0)/" }.joined() }
        func file(_ folder: String) throws -> IgnoreFile? { try texts[folder].map { try IgnoreFile(Array($0.utf8)) } }
        var scope = IgnoreScope(try file(""))
        for (index, folder) in folders.enumerated().dropFirst() {
            scope.enter(try ItemName(names[index - 1]), with: try file(folder))
        }
        let match = scope.match(try ItemName(try #require(names.last)), isFolder: path.hasSuffix("/"))
        return match.map { Decision(file: "\(folders[$0.depth]).gitignore", line: $0.pattern.line) }
    }
}
