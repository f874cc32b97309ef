import Basics
import Glibc

/// Watches a SQLite file's folder for changes to the file and its write-ahead log, with inotify(7). Belongs to a single
/// thread.
final class FileWatch {
    private static let mask = UInt32(
        IN_MODIFY | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)

    /// -1 if the user's instances are used up; `poll(2)` ignores that.
    let descriptor: Int32
    private let folder: String
    private let name: [UInt8]
    private var watch: Int32 = -1

    init(_ path: String) {
        let slash = path.lastIndex(of: "/") ?? path.startIndex
        folder = slash == path.startIndex ? "/" : String(path[..<slash])
        name = Array(path[slash...].dropFirst().utf8)
        descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Whether changes will be noticed. Without a folder, or without watches left for this user, they are not.
    var isArmed: Bool { watch >= 0 }

    /// Starts watching, unless already active.
    func arm() {
        guard descriptor >= 0, watch < 0 else { return }
        watch = inotify_add_watch(descriptor, folder, Self.mask)
    }

    /// Reads the pending events, and returns whether any concerns the file. Does not wait.
    func drain() -> Bool {
        var isConcerned = false
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while descriptor >= 0 {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            buffer[..<count].withUnsafeBytes { if concerns($0) { isConcerned = true } }
        }
        return isConcerned
    }

    /// `struct inotify_event` has the watch, mask, cookie and length of the name, each of 4 bytes; then the name, padded with NULs.
    private func concerns(_ events: UnsafeRawBufferPointer) -> Bool {
        var isConcerned = false
        var place = 0
        while place + 16 <= events.count {
            let mask = events.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self)
            let length = Int(events.loadUnaligned(fromByteOffset: place + 12, as: UInt32.self))
            guard place + 16 + length <= events.count else { break }
            let name = events[(place + 16)..<(place + 16 + length)].prefix { $0 != 0 }
            if mask & UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED) != 0 {
                // The path leads to another folder now, or nowhere.
                if mask & UInt32(IN_IGNORED) == 0 { inotify_rm_watch(descriptor, watch) }
                watch = -1
                isConcerned = true
            }
            if mask & UInt32(IN_Q_OVERFLOW) != 0 || concerns(Array(name), mask) { isConcerned = true }
            place += 16 + length
        }
        return isConcerned
    }

    private func concerns(_ found: [UInt8], _ mask: UInt32) -> Bool {
        if found == name { return true }
        // A reader creates and removes the log as well; only writes to it matter.
        return found == name + Array("-wal".utf8) && mask & UInt32(IN_MODIFY) != 0
    }
}
