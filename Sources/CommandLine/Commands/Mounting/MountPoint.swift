import Basics
import DaemonProtocol
import Glibc

/// The directory to mount on.
enum MountPoint {
    /// Returns the absolute path of a directory usable as a mount point, after creating it if it is missing and
    /// detaching a dead mount.
    ///
    /// - Parameter created: Set to whether the directory was missing.
    static func prepare(
        _ argument: String?, _ locator: MountLocator, created: inout Bool
    ) throws(CommandFailure) -> String {
        let typed = argument.map(absolute) ?? StandardPaths.current.defaultMount
        try clear(typed, locator)
        // Before it is created: inside a mount that would be a document, or a container.
        if access(typed, F_OK) != 0, errno == ENOENT {
            try MountNesting(mount: typed, table: locator.table).refuseInside()
        }
        created = try make(typed, withParents: argument == nil)
        // The daemon registers the path without symlinks, and the kernel lists it in this form too.
        let path = realPath(Array(typed.utf8)).map { String(decoding: $0, as: UTF8.self) } ?? typed
        if path != typed { try clear(path, locator) }
        try requireEmpty(path)
        return path
    }

    /// Refuses a living mount, and detaches a dead mount.
    private static func clear(_ path: String, _ locator: MountLocator) throws(CommandFailure) {
        if let record = locator.records.first(where: { $0.mount == path }) {
            switch liveness(of: record) {
            case .living:
                throw CommandFailure(
                    .refused, "already mounted (pid \(record.pid))", path: path,
                    advice: "Use it, or unmount it first.")
            case .frozen:
                throw CommandFailure(
                    .notAnswering, "already mounted, but its daemon (pid \(record.pid)) does not answer", path: path,
                    advice: "Unmount it with \"ubiquity unmount \(path)\".")
            case .dead: break
            }
        }
        guard locator.table.contains(path) else { return }
        let health = locator.probe(path)
        guard case .dead = health else { throw health.failure(mount: path) }
        Terminal.note("removing a mount whose daemon has died: \(path)")
        try Unmounting.detach(path)
    }

    private enum Liveness { case living, frozen, dead }

    private static func liveness(of record: MountRecord) -> Liveness {
        // A daemon just killed still accepts connections while its threads end, but does not respond; a second attempt
        // then finds it dead.
        let first = answer(of: record)
        return first == .frozen ? answer(of: record) : first
    }

    private static func answer(of record: MountRecord) -> Liveness {
        do throws(CommandFailure) {
            _ = try DaemonConnection.open(record)
            return .living
        } catch {
            return error.status == .notMounted ? .dead : .frozen
        }
    }

    /// Returns whether the directory was missing.
    private static func make(_ path: String, withParents: Bool) throws(CommandFailure) -> Bool {
        var information = stat()
        if stat(path, &information) == 0 {
            guard information.st_mode & S_IFMT == S_IFDIR else {
                throw CommandFailure(.refused, "the mount point is not a folder", path: path, advice: "Name a folder.")
            }
            return false
        }
        guard errno == ENOENT else { throw unusable(path, errno) }
        let mask = umask(0o077)
        defer { umask(mask) }
        do throws(Errno) {
            if withParents { try createDirectories(path) } else { try check("mkdir") { mkdir(path, 0o700) } }
        } catch {
            throw unusable(path, error.code)
        }
        return true
    }

    private static func requireEmpty(_ path: String) throws(CommandFailure) {
        guard let directory = opendir(path) else { throw unusable(path, errno) }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            let name = entry.name
            guard name == "." || name == ".." else {
                throw CommandFailure(
                    .refused, "the mount point is not empty", path: path,
                    advice:
                        "Its files would be hidden: move them away, or mount elsewhere and copy them into the mount.")
            }
        }
    }

    private static func unusable(_ path: String, _ code: Int32) -> CommandFailure {
        let why = code == ENOENT ? "the folder above it does not exist" : String(cString: strerror(code))
        return CommandFailure(
            .refused, "cannot mount here, \(why)", path: path,
            advice: code == ENOENT ? "Create that folder first." : "Choose another folder.")
    }

    /// Returns whether a file system is mounted at this path: its device differs from the parent folder's. Queries the
    /// file system.
    static func isMounted(_ path: String) -> Bool {
        var here = stat()
        var above = stat()
        return stat(path, &here) == 0 && stat("\(path)/..", &above) == 0 && here.st_dev != above.st_dev
    }
}
