import FoundationEssentials
import Glibc

/// Objects created by a mount so far: the mount point and the state directory. A refused mount removes both again.
struct MountLeftovers {
    var mountPoint: String?
    var isMountPointNew = false
    private var state: String?

    /// Notes the state directory, before the daemon creates it. An existing one is kept.
    mutating func noteState(_ path: String) { state = access(path, F_OK) == 0 ? nil : path }

    /// Keeps everything: the daemon serves the mount.
    mutating func keep() { (mountPoint, isMountPointNew, state) = (nil, false, nil) }

    /// Removes the created objects, unless something is in them by now.
    func remove() {
        if isMountPointNew, let mountPoint { rmdir(mountPoint) }
        if let state { Self.removeState(state) }
    }

    /// Removes a state directory without a daemon and without document bytes.
    private static func removeState(_ path: String) {
        let lock = open("\(path)/lock", O_RDWR | O_CLOEXEC)
        defer { if lock >= 0 { close(lock) } }
        guard lock < 0 || flock(lock, LOCK_EX | LOCK_NB) == 0, !hasBytes("\(path)/content") else { return }
        // Anything left is reused by the next mount.
        try? FileManager.default.removeItem(atPath: path)
    }

    private static func hasBytes(_ folder: String) -> Bool {
        // A missing folder has nothing.
        for name in (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? [] {
            var information = stat()
            guard lstat("\(folder)/\(name)", &information) == 0, information.st_mode & S_IFMT != S_IFDIR else {
                continue
            }
            if information.st_size > 0 { return true }
        }
        return false
    }
}
