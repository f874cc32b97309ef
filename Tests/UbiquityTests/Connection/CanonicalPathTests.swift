import Foundation
import Glibc
import TestSupport
import Testing

@testable import Ubiquity

@Suite("CanonicalPath")
struct CanonicalPathTests {
    /// A folder with a document, an inner folder, links to all of them, and a dangling link.
    private final class Place {
        let root: String

        init() throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: "paths-\(UUID().uuidString)")
            try FileManager.default.createDirectory(
                at: folder.appending(path: "a/b"), withIntermediateDirectories: true)
            root = try #require(realpath(folder.path, nil).map { String(cString: $0) })
            for name in ["a/doc", "a/b/doc", "a/...", "a/.hidden"] {
                try Data().write(to: URL(filePath: "\(root)/\(name)"))
            }
            for (name, target) in [("link", "a"), ("a/up", ".."), ("a/b/to-doc", "doc"), ("nowhere", "gone")] {
                try FileManager.default.createSymbolicLink(atPath: "\(root)/\(name)", withDestinationPath: target)
            }
        }

        // Best effort: the folder is among the temporary files.
        deinit { try? FileManager.default.removeItem(atPath: root) }
    }

    @Test(
        "parent folders are resolved through links and dots, and the last component is kept as it is",
        arguments: [
            ("a/doc", "a/doc", true), ("link/doc", "a/doc", true), ("a/b/../doc", "a/doc", true),
            ("a/./doc", "a/doc", true), ("a//doc", "a/doc", true), ("link/b/doc", "a/b/doc", true),
            ("a/up/link/doc", "a/doc", true), ("link", "link", true), ("a/b/to-doc", "a/b/to-doc", true),
            ("nowhere", "nowhere", true), ("a/...", "a/...", true), ("link/.hidden", "a/.hidden", true),
            ("a/new", "a/new", false), ("link/new", "a/new", false), ("link/new/newer", "a/new/newer", false),
        ])
    func paths(_ spelt: String, _ meant: String, _ exists: Bool) throws {
        let place = try Place()
        let path = CanonicalPath("\(place.root)/\(spelt)")
        #expect(path.text == "\(place.root)/\(meant)")
        #expect(path.exists == exists)
    }

    @Test("the result equals realpath(3) of the folder, for any spelling", arguments: 1...3)
    func anySpelling(_ seed: UInt64) throws {
        let place = try Place()
        var generator = SeededGenerator(seed: seed)
        let words = ["a", "b", "doc", "link", "up", "..", ".", "", "...", "nowhere", "new", ".hidden", "to-doc"]
        for _ in 0..<2_000 {
            let components = (0..<generator.number(1..<6)).map { _ in generator.pick(words) ?? "" }
            let spelt = ([place.root] + components).joined(separator: "/")
            guard let last = components.last, !["", ".", ".."].contains(last) else { continue }
            guard let folder = realpath(String(spelt.dropLast(last.count + 1)), nil) else { continue }
            defer { free(folder) }
            let meant = String(cString: folder) == "/" ? "/\(last)" : "\(String(cString: folder))/\(last)"
            #expect(CanonicalPath(spelt).text == meant, "seed \(seed): \(spelt)")
        }
    }
}
