import Foundation

/// The files of this project as they lie on disk.
enum Repository {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    struct File: Sendable, CustomStringConvertible {
        /// Relative to the root.
        let path: String
        let lines: [Substring]

        var description: String { path }
    }

    /// What is made, not written.
    private static let generated: Set<String> = [".build", ".git", "build"]

    static func files(below folder: String = "", ending suffixes: [String]) -> [File] {
        let start = folder.isEmpty ? root : root.appending(path: folder)
        let paths = FileManager.default.enumerator(atPath: start.path)?.compactMap { $0 as? String } ?? []
        return paths.sorted().compactMap { path in
            guard suffixes.contains(where: { path.hasSuffix($0) }),
                path.split(separator: "/").allSatisfy({ !generated.contains(String($0)) })
            else { return nil }
            return read(folder.isEmpty ? path : "\(folder)/\(path)")
        }
    }

    private static func read(_ path: String) -> File? {
        guard let text = try? String(contentsOf: root.appending(path: path), encoding: .utf8) else { return nil }
        return File(path: path, lines: text.split(separator: "\n", omittingEmptySubsequences: false))
    }

    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appending(path: path).path)
    }
}
