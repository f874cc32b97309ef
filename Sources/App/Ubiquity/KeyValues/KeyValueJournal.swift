import Basics
import DaemonProtocol
import Foundation
import Glibc

/// What a program wrote while there was no daemon, in a file that the next one is given: `key-values/CONTAINER` beside the devices' states.
struct KeyValueJournal: Sendable {
    private let path: String

    init(_ container: String) { path = Self.path(of: container) }

    static func path(of container: String) -> String {
        let name = container.replacingOccurrences(of: "/", with: "_")
        return "\(StandardPaths.current.data)/key-values/\(name)"
    }

    /// Replaces a file of a store, and makes the folder where it is missing; durable on return.
    static func replace(_ path: String, with bytes: [UInt8]) throws(Errno) {
        if let slash = path.lastIndex(of: "/") { try createDirectories(String(path[..<slash])) }
        try DurableFile(path).replace(with: bytes)
    }

    /// Nothing where there is no journal, or one that can not be read.
    func read() -> [String: PropertyValue?] {
        guard let data = FileManager.default.contents(atPath: path),
            case .dictionary(let entries) = try? PropertyValue(decoding: data)
        else { return [:] }
        return entries.mapValues { entry in
            // A value stands in a list of one; an empty list is a removal.
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
        // Where there is none, or it can not go: the same values are written again, which changes nothing.
        unlink(path)
    }
}
