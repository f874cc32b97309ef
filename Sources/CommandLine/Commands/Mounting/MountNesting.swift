import Basics
import DaemonProtocol
import Glibc

/// Refuses mounts containing themselves: the daemon would wait for itself, or sync its own state.
struct MountNesting {
    /// The existing mount point.
    let mount: String
    let table: UbiquityMounts

    /// - Throws: ``CommandFailure`` with status `refused` if the mount point, its state or its cloud are inside a mount of documents, or if
    ///   the latter two are inside the mount point.
    func refuse(state: String, cloud: String?) throws(CommandFailure) {
        try refuseInside()
        try refuse("state directory", state, option: "--state")
        if let cloud, let folder = Self.folder(ofCloud: cloud) { try refuse("cloud", folder, option: "--cloud") }
    }

    /// Refuses a mount point inside a mount. It need not exist.
    func refuseInside() throws(CommandFailure) {
        guard let outer = outerMount(of: mount) else { return }
        throw CommandFailure(
            .refused, "the mount point is inside the mount \(outer)", path: mount, advice: "Choose a folder outside it."
        )
    }

    /// Refuses a cloud folder inside a mount, or hidden by the mount point.
    func refuse(cloudFolder: String) throws(CommandFailure) {
        guard let outer = outerMount(of: cloudFolder) else { return }
        throw CommandFailure(
            .refused, "the cloud is inside the mount \(outer)", path: cloudFolder, advice: "Choose a folder outside it."
        )
    }

    /// Returns whether a path is inside a folder, or the folder itself, through symbolic links. Neither need exist.
    static func isInside(_ path: String, _ folder: String) -> Bool {
        let (inner, outer) = (existing(path), existing(folder))
        guard access(absolute(folder), F_OK) == 0 else { return absolute(path).hasPrefix("\(absolute(folder))/") }
        return inner == outer || inner.hasPrefix("\(outer)/")
    }

    private func refuse(_ what: String, _ path: String, option: String) throws(CommandFailure) {
        let advice = "Choose another with \(option)."
        if let outer = outerMount(of: path) {
            throw CommandFailure(.refused, "the \(what) is inside the mount \(outer)", path: path, advice: advice)
        }
        if isInMountPoint(path) {
            throw CommandFailure(
                .refused, "the \(what) is inside the mount point, which would hide it", path: path, advice: advice)
        }
    }

    /// Returns nil for a cloud other than a folder.
    static func folder(ofCloud text: String) -> String? {
        if text.hasPrefix("/") { return text }
        let prefix = "file://"
        return text.hasPrefix("\(prefix)/") ? String(text.dropFirst(prefix.utf8.count)) : nil
    }

    /// Returns the document mount containing a path, also through symbolic links and bind mounts. The path need not
    /// exist.
    private func outerMount(of path: String) -> String? {
        let real = Array(Self.existing(path).utf8)
        return table.mountPoints.filter { point in
            real == point || real.starts(with: point + [UInt8(ascii: "/")])
        }.max { $0.count < $1.count }.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Compares device and inode numbers, which are the same through links and bind mounts.
    private func isInMountPoint(_ path: String) -> Bool {
        var point = stat()
        guard stat(mount, &point) == 0 else { return false }
        var current = Self.existing(path)
        while true {
            var folder = stat()
            if stat(current, &folder) == 0, folder.st_dev == point.st_dev, folder.st_ino == point.st_ino { return true }
            guard current != "/", let slash = current.lastIndex(of: "/") else { return false }
            current = slash == current.startIndex ? "/" : String(current[..<slash])
        }
    }

    /// Returns the real path of the deepest existing folder on the way to `path`.
    private static func existing(_ path: String) -> String {
        var current = absolute(path)
        while true {
            if let real = realPath(Array(current.utf8)) { return String(decoding: real, as: UTF8.self) }
            guard current != "/", let slash = current.lastIndex(of: "/") else { return "/" }
            current = slash == current.startIndex ? "/" : String(current[..<slash])
        }
    }
}
