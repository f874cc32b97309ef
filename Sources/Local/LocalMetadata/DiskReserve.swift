import Basics
import CLinux
import Glibc
import Synchronization

/// Some space on the disk that is given up for the database when the disk is full: without it, not even a deletion could be noted,
/// and nothing could be freed.
final class DiskReserve: Sendable {
    /// A few hundred small transactions.
    static let size = 1 << 20
    /// What must be free beside it before it is taken: it is not to be what fills a disk.
    private static let leaving = 4 * size

    private let path: String
    private enum State { case absent, held, unsupported }
    private let state = Mutex(State.absent)

    init(path: String) {
        self.path = path
        restore()
    }

    /// Takes the space if it is not taken and there is enough; costs nothing where it is.
    func restore() {
        state.withLock { state in
            guard case .absent = state, hasRoom() || access(path, F_OK) == 0 else { return }
            state = allocate()
        }
    }

    /// Gives the space up. False where there was none.
    func release() -> Bool {
        state.withLock { state in
            guard case .held = state else { return false }
            state = .absent
            return unlink(path) == 0
        }
    }

    private func hasRoom() -> Bool {
        var space = statvfs()
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        guard statvfs(folder, &space) == 0 else { return false }
        return UInt64(space.f_bavail).saturatingProduct(UInt64(space.f_frsize)) > UInt64(Self.size + Self.leaving)
    }

    private func allocate() -> State {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return .absent }
        defer { close(descriptor) }
        if linux_fallocate(descriptor, 0, 0, Int64(Self.size)) == 0 { return .held }
        let code = errno
        unlink(path)
        // A file system that can not promise space is not asked again.
        return code == ENOSPC ? .absent : .unsupported
    }
}
