import Basics
import Glibc
import SystemPackage

/// An inotify(7) instance and the role of each of its watches.
struct Inotify: ~Copyable {
    struct Event: Equatable {
        let watch: Int32
        let mask: UInt32
        let name: [UInt8]
        /// The queue was full and events are lost.
        var isOverflow: Bool { mask & UInt32(IN_Q_OVERFLOW) != 0 }
    }

    /// -1 if the user's instances are used up; `poll(2)` ignores that.
    let raw: Int32
    private(set) var roles: [Int32: WatchRole] = [:]
    /// The error that hides some events.
    private(set) var failure: Basics.Errno?

    init() {
        raw = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        if raw < 0 { failure = Errno(errno, "inotify_init1") }
    }

    deinit { if raw >= 0 { close(raw) } }

    /// Watches a folder. Returns false if it does not exist.
    mutating func watch(_ path: FilePath, as role: WatchRole) -> Bool {
        do throws(Basics.Errno) {
            let watch = try check("inotify_add_watch") {
                path.withPlatformString { inotify_add_watch(raw, $0, role.mask) }
            }
            roles[watch] = role
        } catch {
            if [ENOENT, ENOTDIR].contains(error.code) { return false }
            // A folder above the cloud that we may traverse but not read is left unwatched.
            if error.code != EACCES { failure = error }
        }
        return true
    }

    /// Returns the pending events, as many as fit a buffer; none if none are pending (`EAGAIN`).
    func read() -> [Event] {
        let bytes = [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, filled in
            filled = max(0, Glibc.read(raw, buffer.baseAddress, buffer.count))
        }
        return Self.parse(bytes)
    }

    /// Parses events. `struct inotify_event` has the watch, mask, cookie and length of the name, each of 4 bytes; then the name, padded
    /// with NULs.
    static func parse(_ bytes: [UInt8]) -> [Event] {
        var events: [Event] = []
        var position = 0
        bytes.withUnsafeBytes { buffer in
            while position + 16 <= buffer.count {
                let watch = buffer.loadUnaligned(fromByteOffset: position, as: Int32.self)
                let mask = buffer.loadUnaligned(fromByteOffset: position + 4, as: UInt32.self)
                let length = Int(buffer.loadUnaligned(fromByteOffset: position + 12, as: UInt32.self))
                guard position + 16 + length <= buffer.count else { return }
                let name = buffer[(position + 16)..<(position + 16 + length)].prefix { $0 != 0 }
                events.append(Event(watch: watch, mask: mask, name: Array(name)))
                position += 16 + length
            }
        }
        return events
    }
}
