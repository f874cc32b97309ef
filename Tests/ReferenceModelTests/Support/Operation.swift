import Glibc

/// A program's call, made in the mount and on the disk beside it. Open files are kept in numbered slots.
enum Operation: Sendable {
    // Open files
    case open(slot: Int, Path, flags: OpenFlags, mode: UInt32)
    case close(slot: Int)
    case read(slot: Int, count: Int)
    case write(slot: Int, count: Int, seed: Int)
    case readAt(slot: Int, offset: Int, count: Int)
    case writeAt(slot: Int, offset: Int, count: Int, seed: Int)
    case seek(slot: Int, offset: Int, whence: Whence)
    case truncateOpen(slot: Int, size: Int)
    case allocate(slot: Int, mode: Int32, offset: Int, count: Int)
    case writeMapped(slot: Int, offset: Int, count: Int, seed: Int)
    case copyRange(from: Int, offset: Int, to: Int, at: Int, count: Int)
    case sync(slot: Int)
    case changeModeOpen(slot: Int, mode: UInt32)
    case setAttributeOpen(slot: Int, String, count: Int)
    case lock(slot: Int, operation: Int32)
    case lockRecord(slot: Int, type: Int, offset: Int, count: Int)

    // Names
    case rename(Path, Path, flags: UInt32)
    case link(Path, Path)
    case unlink(Path)
    case makeFolder(Path, mode: UInt32)
    case removeFolder(Path)
    case makeSymlink(target: Path, Path)
    case readSymlink(Path)
    case makePipe(Path)

    // Attributes
    case truncate(Path, size: Int)
    case changeMode(Path, mode: UInt32)
    case changeOwner(Path, isNone: Bool)
    case setTimes(Path, access: TimeChoice, modification: TimeChoice, follows: Bool)
    case status(Path, follows: Bool)
    case access(Path, mode: Int32)
    case setAttribute(Path, String, count: Int, flags: Int32)
    case getAttribute(Path, String)
    case listAttributes(Path)
    case removeAttribute(Path, String)
    case fileSystem(Path)

    // Folders
    case list(Path, pause: Int, removing: Path?, adding: Path?)
    case revisit(Path)

    enum Whence: Sendable { case start, end, data, hole }

    /// The argument of `utimensat(2)` for one of the two times.
    enum TimeChoice: Sendable, Equatable {
        case now
        case omit
        case at(seconds: Int, nanoseconds: Int)

        var value: timespec {
            switch self {
            // UTIME_NOW and UTIME_OMIT of <sys/stat.h>, available only with _GNU_SOURCE.
            case .now: timespec(tv_sec: 0, tv_nsec: (1 << 30) - 1)
            case .omit: timespec(tv_sec: 0, tv_nsec: (1 << 30) - 2)
            case .at(let seconds, let nanoseconds): timespec(tv_sec: seconds, tv_nsec: nanoseconds)
            }
        }
    }

    /// Whether the operation may remove a name and create it again. Disks often reuse the inode number then.
    var remakes: Bool { if case .list = self { true } else { false } }

    /// Whether the operation sets times explicitly, so that they may go backwards.
    var setsTimes: Bool { if case .setTimes = self { true } else { false } }
}

/// The flags of `open(2)`, described by name.
struct OpenFlags: Sendable, CustomStringConvertible {
    var raw: Int32

    // The macros of <bits/fcntl-linux.h> have these names without _GNU_SOURCE.
    static let direct = __O_DIRECT
    static let path = __O_PATH

    static let names: [(flag: Int32, name: String)] = [
        (O_WRONLY, "O_WRONLY"), (O_RDWR, "O_RDWR"), (O_CREAT, "O_CREAT"), (O_EXCL, "O_EXCL"), (O_TRUNC, "O_TRUNC"),
        (O_APPEND, "O_APPEND"), (O_NOFOLLOW, "O_NOFOLLOW"), (O_DIRECTORY, "O_DIRECTORY"), (O_SYNC, "O_SYNC"),
        (direct, "O_DIRECT"), (path, "O_PATH"),
    ]

    var isDirect: Bool { raw & Self.direct != 0 }

    var description: String {
        let names = Self.names.filter { raw & $0.flag == $0.flag }.map(\.name)
        return names.isEmpty ? "O_RDONLY" : names.joined(separator: "|")
    }
}
