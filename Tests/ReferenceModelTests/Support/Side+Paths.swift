import CLinux
import Glibc

/// Calls on names.
extension Side {
    func performName(_ operation: Operation) -> Outcome {
        switch operation {
        case .rename(let from, let to, let flags):
            with(from, to) { from, to in .done { linux_rename(from, to, flags) } }
        case .link(let old, let new): with(old, new) { old, new in .done { Glibc.link(old, new) } }
        case .unlink(let path): with(path) { path in .done { Glibc.unlink(path) } }
        case .makeFolder(let path, let mode): with(path) { path in .done { mkdir(path, mode) } }
        case .removeFolder(let path): with(path) { path in .done { rmdir(path) } }
        case .makeSymlink(let target, let path):
            with(path) { path in
                .done { symlink(target.bytes.map { CChar(bitPattern: $0) } + [0], path) }
            }
        case .readSymlink(let path):
            with(path) { Self.target(of: $0) }
        case .makePipe(let path): with(path) { path in .done { mkfifo(path, 0o640) } }
        default: .failure(ENOTSUP)
        }
    }

    private static func target(of path: UnsafePointer<CChar>) -> Outcome {
        var buffer = [CChar](repeating: 0, count: 4096)
        var outcome = Outcome.of { readlink(path, &buffer, buffer.count) }
        outcome.bytes = buffer.prefix(outcome.value).map { UInt8(bitPattern: $0) }
        return outcome
    }

    func with(_ path: Path, _ body: (UnsafePointer<CChar>) -> Outcome) -> Outcome {
        path.withPointer(below: root, body)
    }

    private func with(
        _ first: Path, _ second: Path, _ body: (UnsafePointer<CChar>, UnsafePointer<CChar>) -> Outcome
    ) -> Outcome {
        with(first) { first in with(second) { second in body(first, second) } }
    }
}

/// Calls on attributes.
extension Side {
    func performAttribute(_ operation: Operation) -> Outcome {
        switch operation {
        case .truncate(let path, let size): with(path) { path in .done { Glibc.truncate(path, size) } }
        case .changeMode(let path, let mode): with(path) { path in .done { chmod(path, mode) } }
        case .changeOwner(let path, let isNone):
            with(path) { path in .done { lchown(path, isNone ? .max : getuid(), isNone ? .max : getgid()) } }
        case .setTimes(let path, let access, let modification, let follows):
            with(path) { Self.setTimes($0, [access.value, modification.value], follows ? 0 : AT_SYMLINK_NOFOLLOW) }
        case .status(let path, let follows): with(path) { Self.status($0, follows) }
        case .access(let path, let mode): with(path) { path in .done { Glibc.access(path, mode) } }
        case .fileSystem(let path): with(path) { Self.fileSystem($0) }
        case .setAttribute(let path, let name, let count, let flags):
            with(path) { path in
                Bytes.with(count, count) { bytes, count in .done { lsetxattr(path, name, bytes, count, flags) } }
            }
        case .removeAttribute(let path, let name): with(path) { path in .done { lremovexattr(path, name) } }
        case .getAttribute(let path, let name): with(path) { Self.attribute(name, of: $0) }
        case .listAttributes(let path): with(path) { Self.attributeNames(of: $0) }
        default: .failure(ENOTSUP)
        }
    }

    /// Sets times and returns the access time if it was set. It is returned immediately because reading changes it on
    /// the disk, but not in the mount.
    private static func setTimes(_ path: UnsafePointer<CChar>, _ times: [timespec], _ flags: Int32) -> Outcome {
        var outcome = Outcome.done { utimensat(AT_FDCWD, path, times, flags) }
        var status = stat()
        guard outcome.code == 0, times[0].tv_nsec < 1_000_000_000,
            fstatat(AT_FDCWD, path, &status, flags) == 0
        else { return outcome }
        let time = Snapshot.Entry.comparable(status.st_atim)
        outcome.names = [Array("\(time / 1_000_000_000).\(time % 1_000_000_000)".utf8)]
        return outcome
    }

    private static func status(_ path: UnsafePointer<CChar>, _ follows: Bool) -> Outcome {
        var status = stat()
        let outcome = Outcome.done { follows ? stat(path, &status) : lstat(path, &status) }
        guard outcome.code == 0 else { return outcome }
        return Outcome(value: Int(status.st_mode))
    }

    private static func fileSystem(_ path: UnsafePointer<CChar>) -> Outcome {
        var status = statvfs()
        let outcome = Outcome.done { statvfs(path, &status) }
        guard outcome.code == 0 else { return outcome }
        return status.f_bavail <= status.f_blocks ? Outcome(value: Int(status.f_namemax)) : .failure(EILSEQ)
    }

    static func attribute(_ name: String, of path: UnsafePointer<CChar>) -> Outcome {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var outcome = Outcome.of { lgetxattr(path, name, &buffer, buffer.count) }
        outcome.bytes = Array(buffer.prefix(outcome.value))
        return outcome
    }

    /// Returns the names of extended attributes without those added by the disk's security modules.
    static func attributeNames(of path: UnsafePointer<CChar>) -> Outcome {
        var buffer = [CChar](repeating: 0, count: 65_536)
        var outcome = Outcome.of { llistxattr(path, &buffer, buffer.count) }
        let names = buffer.prefix(outcome.value).split(separator: 0).map { $0.map { UInt8(bitPattern: $0) } }
        outcome.value = 0
        outcome.names = Set(names.filter { $0.starts(with: "user.".utf8) })
        return outcome
    }
}
