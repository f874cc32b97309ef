import Foundation
import Testing

/// Compiles the code of the articles, as a reader pastes it: at the top level of a program, and in a function.
@Suite("The code of the articles", .serialized, .timeLimit(.minutes(10)))
struct DocumentationTests {
    enum Place: CaseIterable { case topLevel, function }

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
    private static let articles = "Sources/App/Ubiquity/Ubiquity.docc"

    static var pages: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: root.appending(path: articles).path).filter {
                try $0.hasSuffix(".md") && !code(of: $0).isEmpty
            }.sorted()
        }
    }

    /// Returns the lines of the blocks of Swift in an article.
    private static func code(of page: String) throws -> [Substring] {
        let text = try String(contentsOf: root.appending(path: "\(articles)/\(page)"), encoding: .utf8)
        var (lines, isCode): ([Substring], Bool) = ([], false)
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                isCode = line == "```swift"
            } else if isCode {
                lines.append(line)
            }
        }
        return lines
    }

    /// The values assumed by the articles' code.
    private static let values = [
        "url": "URL(filePath: \"/u\")", "oldURL": "URL(filePath: \"/o\")", "newURL": "URL(filePath: \"/n\")",
        "folder": "URL(filePath: \"/f\")", "queue": "OperationQueue()",
    ]
    private static let functions = """
        func show(_ values: Any...) {}
        func apply(_ values: Any...) {}
        func edit(_ values: Any...) {}
        func merge(_ value: Any, into other: Any) throws {}
        """

    @Test("every article compiles without a warning", arguments: try pages, Place.allCases)
    func compiles(page: String, place: Place) async throws {
        let lines = try Self.code(of: page)
        let isImport = { (line: Substring) in line.hasPrefix("import ") }
        let imports = Set(lines.filter(isImport).map(String.init)).union(["import Foundation", "import Ubiquity"])
            .sorted()
        let body = lines.filter { !isImport($0) }.joined(separator: "\n")
        let given = Self.values.filter { !body.contains("let \($0.key) ") }.map { "let \($0.key) = \($0.value)" }
        let code = (given + [body]).joined(separator: "\n")
        let program =
            place == .topLevel ? code : "func reader() async throws {\n\(code)\n}\ntry await reader()"
        try await inFolder { folder in
            let (main, helpers) = (folder.appending(path: "main.swift"), folder.appending(path: "helpers.swift"))
            try Data((imports + [program]).joined(separator: "\n").utf8).write(to: main)
            try Data(Self.functions.utf8).write(to: helpers)
            let output = try await Self.check([main.path, helpers.path], in: folder)
            let faults = output.split(separator: "\n").filter { line in
                // A short example need not use each of its values.
                (line.contains(" error: ") || line.contains(" warning: ")) && !line.contains("was never used")
            }
            #expect(faults.isEmpty, "\(output)")
        }
    }

    /// Type-checks a program that imports the modules beside the tests, and returns the compiler's output.
    private static func check(_ files: [String], in folder: URL) async throws -> String {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let modules = URL(filePath: tests).deletingLastPathComponent().appending(path: "Modules").path
        let maps = ["Sources/Model/CLinux", "Sources/Model/CCrypto"].map {
            root.appending(path: "\($0)/module.modulemap").path
        }
        let log = folder.appending(path: "log")
        try Data().write(to: log)
        let output = try FileHandle(forWritingTo: log)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments =
            ["swiftc", "-typecheck", "-swift-version", "6", "-I", modules]
            + maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] } + files
        process.standardOutput = output
        process.standardError = output
        // Other tests need the threads meanwhile.
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in continuation.resume() }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        try output.close()
        return try String(contentsOf: log, encoding: .utf8)
    }
}
