import Basics
import CloudModel
import Glibc
import SystemPackage

/// The watches for a cloud's current state, and the findings while setting them. Each folder is watched before its
/// contents are read, so that later changes cause an event.
struct WatchSet: ~Copyable {
    /// Identifies the directory at the cloud's path.
    struct Place: Equatable {
        let device: UInt64
        let inode: UInt64
    }

    let root: FilePath
    private(set) var inotify = Inotify()
    private(set) var containers: [ContainerName] = []
    /// Nil while there is no cloud.
    private(set) var place: Place?

    init(root: FilePath) { self.root = root }

    /// The error that hides some events.
    var failure: Basics.Errno? { inotify.failure }

    mutating func arm() {
        guard watchAncestors(), inotify.watch(root, as: .root) else { return }
        place = Self.place(of: root)
        let folder = root.appending(CloudLayout.containers)
        guard place != nil, inotify.watch(folder, as: .containers) else { return }
        containers = names(in: folder).compactMap { ContainerName($0) }.sorted()
        for container in containers { watchLog(of: container) }
    }

    static func place(of root: FilePath) -> Place? {
        guard let info = status(root), status(root.appending(CloudLayout.identity)) != nil else { return nil }
        return Place(device: UInt64(info.st_dev), inode: UInt64(info.st_ino))
    }

    private mutating func watchLog(of container: ContainerName) {
        let log = root.appending(CloudLayout.log(container))
        guard inotify.watch(log, as: .log), let last = names(in: log).compactMap(CloudLayout.number).max() else {
            return
        }
        _ = inotify.watch(root.appending(CloudLayout.logShard(container, last)), as: .shard(container))
    }

    /// Watches the folders above the cloud; if a component of the path is absent, watches the last existing folder for its name. Returns
    /// false if the cloud's own directory cannot exist.
    private mutating func watchAncestors() -> Bool {
        var folder = FilePath("/")
        for component in root.components {
            let child = folder.appending(component)
            guard inotify.watch(folder, as: .ancestor(awaited: nil)) else { return watchAncestors() }
            if !isFolder(child) {
                let name = component.withPlatformString { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
                guard inotify.watch(folder, as: .ancestor(awaited: name)) else { return watchAncestors() }
                // The folder may have appeared just before the watch was set.
                if !isFolder(child) { return false }
            }
            folder = child
        }
        return true
    }

    private func isFolder(_ path: FilePath) -> Bool {
        Self.status(path).map { $0.st_mode & S_IFMT == S_IFDIR } ?? false
    }

    private static func status(_ path: FilePath) -> stat? {
        var info = stat()
        return path.withPlatformString { stat($0, &info) } == 0 ? info : nil
    }

    /// Returns the names in a folder; none if it is unreadable, in which case its watch reports when to read it again.
    private func names(in path: FilePath) -> [String] {
        let raw = path.withPlatformString { open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard raw >= 0 else { return [] }
        return (try? Descriptor(owning: raw, path: "").names(in: ".")) ?? []
    }
}
