import DaemonProtocol
import Foundation
import Glibc

/// What a program wrote while there was no daemon, in a file that the next one is given: `key-values/CONTAINER` beside the devices' states.
struct KeyValueJournal: Sendable {
    private let path: String

    init(_ container: String) {
        let name = container.replacingOccurrences(of: "/", with: "_")
        path = "\(StandardPaths.current.data)/key-values/\(name)"
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

    /// Durable when it answers true.
    func write(_ written: [String: PropertyValue?]) -> Bool {
        let entries = written.mapValues { value in PropertyValue.array(value.map { [$0] } ?? []) }
        guard let bytes = PropertyValue.dictionary(entries).encoded() else { return false }
        let folder = (path as NSString).deletingLastPathComponent
        let temporary = "\(path).\(getpid())"
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try Data(bytes).write(to: URL(filePath: temporary))
        } catch { return false }
        return sync(temporary) && rename(temporary, path) == 0 && sync(folder)
    }

    func remove() {
        // Where there is none, or it can not go: the same values are written again, which changes nothing.
        unlink(path)
    }

    private func sync(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return fsync(descriptor) == 0
    }
}
