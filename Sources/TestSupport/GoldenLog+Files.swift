import Basics
package import Foundation

extension GoldenLog {
    /// Returns every golden log below a folder, in the order of their paths.
    package static func all(in folder: URL) throws -> [(log: GoldenLog, digests: [String])] {
        let paths = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.compactMap {
            $0 as? URL
        }
        return try (paths ?? []).filter { $0.pathExtension == "log" }.sorted { $0.path < $1.path }.map { path in
            let digests = try String(
                contentsOf: path.deletingPathExtension().appendingPathExtension("digests"), encoding: .utf8)
            return (try GoldenLog(contentsOf: path), digests.split(separator: "\n").map(String.init))
        }
    }

    private init(contentsOf path: URL) throws {
        var reader = ByteReader(Array(try Data(contentsOf: path)))
        var entries: [[UInt8]] = []
        let foldsNames = try reader.byte() == 1
        while reader.remaining > 0 { entries.append(Array(try reader.counted())) }
        self.init(name: path.deletingPathExtension().lastPathComponent, foldsNames: foldsNames, entries: entries)
    }

    /// Adds the log and its current digests to a folder, below the rules it needs.
    ///
    /// - Returns: Whether it was added: an existing log is never rewritten, regardless of its content.
    package func add(to folder: URL) throws -> Bool {
        let place = folder.appending(path: "rules-\(try rules())")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        var writer = ByteWriter(reservingCapacity: 1 << 16)
        writer.append(byte: foldsNames ? 1 : 0)
        for entry in entries { writer.append(counted: entry) }
        do {
            try Data(writer.bytes).write(to: place.appending(path: "\(name).log"), options: .withoutOverwriting)
            let text = try digests().map { $0 + "\n" }.joined()
            try Data(text.utf8).write(to: place.appending(path: "\(name).digests"), options: .withoutOverwriting)
            return true
        } catch CocoaError.fileWriteFileExists {
            return false
        }
    }
}
