import Glibc
import Synchronization

/// The events of inotify(7) for some folders of a mount, as a file manager or an editor gets them.
final class InotifyQueue: Sendable {
    private let descriptor: Int32
    private let folders: [Int32: String]
    private let seen = Mutex<[String]>([])

    /// Creations, removals, moves and modifications, and calls ignored by file managers.
    private static let mask = UInt32(IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_MODIFY)

    /// - Parameter folders: Their paths by their names in ``events``.
    init(_ folders: [String: String]) throws {
        let descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(O_NONBLOCK))
        self.descriptor = descriptor
        self.folders = Dictionary(
            uniqueKeysWithValues: folders.map { (inotify_add_watch(descriptor, $0.value, Self.mask), $0.key) })
    }

    deinit { close(descriptor) }

    /// All events so far, such as `created documents/a`.
    var events: [String] {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        return seen.withLock { seen in
            while case let count = read(descriptor, &buffer, buffer.count), count > 0 {
                seen += parse(Array(buffer[..<count]))
            }
            return seen
        }
    }

    private func parse(_ bytes: [UInt8]) -> [String] {
        var result: [String] = []
        var rest = bytes[...]
        let size = MemoryLayout<inotify_event>.size
        while rest.count >= size {
            let event = rest.withUnsafeBytes { $0.loadUnaligned(as: inotify_event.self) }
            let name = rest.dropFirst(size).prefix(Int(event.len)).prefix { $0 != 0 }
            result.append(
                "\(Self.verb(event.mask)) \(folders[event.wd] ?? "?")/\(String(decoding: name, as: UTF8.self))")
            rest = rest.dropFirst(size + Int(event.len))
        }
        return result
    }

    private static func verb(_ mask: UInt32) -> String {
        let verbs = [
            (IN_CREATE, "created"), (IN_DELETE, "removed"), (IN_MOVED_FROM, "moved from"), (IN_MOVED_TO, "moved to"),
            (IN_MODIFY, "modified"),
        ]
        return verbs.first { mask & UInt32($0.0) != 0 }?.1 ?? "\(mask)"
    }
}
