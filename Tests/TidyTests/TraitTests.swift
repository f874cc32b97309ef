import Foundation
import Testing

/// Checks that programs which import a library of this package fetch and build what that library needs, and nothing else.
@Suite("Traits")
struct TraitTests {
    @Test("the library for apps needs no other package, and the one for databases needs GRDB and its log")
    func outsideLibraries() throws {
        let manifest = try Manifest.current()
        #expect(try outside(of: "Ubiquity", manifest) == [])
        #expect(try outside(of: "UbiquityData", manifest) == ["GRDB", "GRDBSQLite", "Logging"])
    }

    /// Without a condition SwiftPM fetches a package for every program that depends on this one.
    @Test("each product of another package is behind a trait")
    func conditions() throws {
        let text = try String(contentsOf: Repository.root.appending(path: "Package.swift"), encoding: .utf8)
        let products = text.split(separator: "\n").filter { $0.contains(".product(") }
        #expect(products.count == 3, "one for each function that adds a condition")
        #expect(products.allSatisfy { $0.contains("condition: .when(traits: [") })
    }

    @Test("an app that imports Ubiquity fetches no other package")
    func app() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "app-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(
            at: folder.appending(path: "Sources"), withIntermediateDirectories: true)
        try Data("import Ubiquity\n".utf8).write(to: folder.appending(path: "Sources/main.swift"))
        try Data(
            """
            // swift-tools-version: 6.2\nimport PackageDescription
            let package = Package(
                name: "app",
                dependencies: [.package(name: "ubiquity", path: "\(Repository.root.path)", traits: [])],
                targets: [
                    .executableTarget(
                        name: "app", dependencies: [.product(name: "Ubiquity", package: "ubiquity")], path: "Sources")
                ])
            """.utf8
        ).write(to: folder.appending(path: "Package.swift"))
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "swift", "package", "--package-path", folder.path, "show-dependencies", "--format", "flatlist",
        ]
        (process.standardOutput, process.standardError) = (output, output)
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(text)")
        #expect(!text.contains("Fetching") && !text.contains("swift-nio"), "\(text)")
        let checkouts = try? FileManager.default.contentsOfDirectory(atPath: folder.path + "/.build/checkouts")
        #expect(checkouts ?? [] == [])
    }

    /// Returns the outside libraries that a module needs, with all that it depends on.
    private func outside(of name: String, _ manifest: Manifest) throws -> Set<String> {
        var (open, seen): ([String], Set<String>) = ([name], [])
        while let next = open.popLast() {
            guard seen.insert(next).inserted else { continue }
            open += manifest.modules.first { $0.name == next }?.dependencies ?? []
        }
        #expect(seen.count > 3, "\(name) is in the manifest")
        return seen.intersection(manifest.outside)
    }
}
