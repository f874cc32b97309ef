import Foundation

/// The files of this project on disk.
enum Repository {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    struct File: Sendable, CustomStringConvertible {
        /// The path relative to the root.
        let path: String
        let lines: [Substring]

        var description: String { path }
    }

    /// Folders of generated files.
    private static let generated: Set<String> = [".build", ".git", "build"]

    static func files(below folder: String = "", ending suffixes: [String]) -> [File] {
        let start = folder.isEmpty ? root : root.appending(path: folder)
        guard let walk = FileManager.default.enumerator(atPath: start.path) else { return [] }
        var paths: [String] = []
        for case let path as String in walk {
            if generated.contains((path as NSString).lastPathComponent) {
                walk.skipDescendants()
            } else if suffixes.contains(where: { path.hasSuffix($0) }) {
                paths.append(path)
            }
        }
        return paths.sorted().compactMap { read(folder.isEmpty ? $0 : "\(folder)/\($0)") }
    }

    private static func read(_ path: String) -> File? {
        guard let text = try? String(contentsOf: root.appending(path: path), encoding: .utf8) else { return nil }
        return File(path: path, lines: text.split(separator: "\n", omittingEmptySubsequences: false))
    }

    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appending(path: path).path)
    }
}
