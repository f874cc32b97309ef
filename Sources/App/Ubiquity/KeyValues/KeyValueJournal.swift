import Basics
import DaemonProtocol
import Foundation
import Glibc

/// Values written by a program without a daemon, in a file for the next daemon: `key-values/CONTAINER` beside the
/// devices' state directories.
struct KeyValueJournal: Sendable {
    private let path: String

    init(_ container: String) { path = Self.path(of: container) }

    static func path(of container: String) -> String {
        let name = container.replacingOccurrences(of: "/", with: "_")
        return "\(StandardPaths.current.data)/key-values/\(name)"
    }

    /// Replaces a store's file and creates its folder if needed; durable when it returns.
    static func replace(_ path: String, with bytes: [UInt8]) throws(Errno) {
        if let slash = path.lastIndex(of: "/") { try createDirectories(String(path[..<slash])) }
        try DurableFile(path).replace(with: bytes)
    }

    /// Returns the journal's values; none if it does not exist or cannot be read.
    func read() -> [String: PropertyValue?] {
        guard let data = FileManager.default.contents(atPath: path),
            case .dictionary(let entries) = try? PropertyValue(decoding: data)
        else { return [:] }
        return entries.mapValues { entry in
            // A value is stored as a single-element list; an empty list is a removal.
            if case .array(let value) = entry { value.first } else { nil }
        }
    }

    /// - Returns: Whether it is durable.
    func write(_ written: [String: PropertyValue?]) -> Bool {
        let entries = written.mapValues { value in PropertyValue.array(value.map { [$0] } ?? []) }
        guard let bytes = PropertyValue.dictionary(entries).encoded() else { return false }
        do throws(Errno) { try Self.replace(path, with: bytes) } catch { return false }
        return true
    }

    func remove() {
        // Best effort: if the journal is not removed, the same values are written again, which is idempotent.
        unlink(path)
    }
}
