import Basics
import CFuse3
import Dispatch
import Glibc
import Synchronization

/// The folder on which a file system is mounted.
package enum FuseMountPoint {
    /// Removes mounts at `path` whose process has died ("Transport endpoint is not connected"), top first if several
    /// are stacked, and returns whether there were any. A mount still served by any process stays.
    ///
    /// Blocks while the mount's process is slow to reply, for five seconds at most.
    @discardableResult
    package static func clearDeadMount(at path: String) throws(FuseError) -> Bool {
        let path = resolved(path)
        var cleared = false
        // Each iteration removes a single mount; a hundred stacked mounts do not occur.
        for _ in 0..<100 {
            guard let entry = try topmost(at: path), entry.isFuse, isDead(path) else { return cleared }
            try unmount(path, lazily: true)
            cleared = true
        }
        return cleared
    }

    /// Returns the path with links resolved, after checking that it is a folder with nothing mounted on it.
    static func validated(_ path: String) throws(FuseError) -> String {
        let path = resolved(path)
        if let entry = try topmost(at: path), entry.isFuse {
            throw FuseError(
                .alreadyMounted, "A file system (\(entry.type)) is already mounted at \(path). Unmount it first.")
        }
        var status = stat()
        guard stat(path, &status) == 0 else {
            let reason = String(cString: strerror(errno))
            throw FuseError(.mountPoint, "The mount point \(path) cannot be used: \(reason). Create the folder first.")
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw FuseError(.mountPoint, "The mount point \(path) is not a folder. Choose an empty folder.")
        }
        return path
    }

    /// Returns the number of the file system mounted at `path`, as `major:minor`; nil if there is none.
    package static func device(at path: String) throws(FuseError) -> String? { try topmost(at: resolved(path))?.device }

    static func topmost(at path: String) throws(FuseError) -> MountTable.Entry? {
        do throws(Errno) { return try MountTable.current().topmost(at: Array(path.utf8)) } catch {
            throw FuseError(.system, "The mount table cannot be read (\(error)). Is /proc mounted?")
        }
    }

    /// Unmounts by `umount2(2)` as root, by `fusermount3 -u` otherwise. A lazy unmount hides the mount immediately and
    /// removes it when it is no longer in use.
    static func unmount(_ path: String, lazily: Bool) throws(FuseError) {
        guard geteuid() == 0 else { return try Fusermount.unmount(path, lazily: lazily) }
        guard umount2(path, cfuse_unmount_flags(lazily ? 1 : 0)) != 0 else { return }
        let code = errno
        // EINVAL: the mount no longer exists.
        if code == EINVAL { return }
        if code == EBUSY { throw busy(path) }
        throw FuseError(.system, "Unmounting \(path) failed: \(String(cString: strerror(code))).")
    }

    static func busy(_ path: String) -> FuseError {
        FuseError(
            .busy,
            "\(path) is in use. Close the programs that use it (`fuser -vm \(path)` names them), or unmount it lazily.")
    }

    /// Returns the path without links. A mount at its end may be dead and impossible to query: then only its parent is
    /// resolved.
    private static func resolved(_ path: String) -> String {
        if let whole = canonical(path) { return whole }
        let trimmed = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        guard let slash = trimmed.lastIndex(of: "/") else {
            return canonical(".").map { $0 + "/" + trimmed } ?? trimmed
        }
        let parent = slash == trimmed.startIndex ? "/" : String(trimmed[..<slash])
        let name = trimmed[trimmed.index(after: slash)...]
        guard let folder = canonical(parent) else { return trimmed }
        return folder == "/" ? "/" + name : folder + "/" + name
    }

    private static func canonical(_ path: String) -> String? {
        guard let text = realpath(path, nil) else { return nil }
        defer { free(text) }
        return String(cString: text)
    }

    /// Returns whether querying the mount's root fails with ENOTCONN. The query runs on a separate thread, because a
    /// hung process would block the caller; after five seconds the mount counts as alive.
    private static func isDead(_ path: String) -> Bool {
        let probe = Probe()
        do throws(Errno) {
            try OwnThread.detach("fuse-probe") {
                let result = cfuse_ask_attributes(path)
                // ECONNABORTED: the mount died during the query, made likely by io_uring's slower end.
                probe.finish(isDead: result != 0 && [ENOTCONN, ECONNABORTED].contains(errno))
            }
        } catch {
            // If a daemon cannot be queried, it counts as alive too.
            return false
        }
        return probe.wait(seconds: 5)
    }

    /// The result of a possibly hung thread.
    private final class Probe: Sendable {
        private let answer = Mutex(false)
        private let arrival = DispatchSemaphore(value: 0)

        func finish(isDead: Bool) {
            answer.withLock { $0 = isDead }
            arrival.signal()
        }

        func wait(seconds: Int) -> Bool {
            guard arrival.wait(timeout: .now() + .seconds(seconds)) == .success else { return false }
            return answer.withLock { $0 }
        }
    }
}
