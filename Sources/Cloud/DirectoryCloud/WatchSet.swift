import Basics
import CloudModel
import Glibc
import SystemPackage

/// The watches that one look at a cloud asks for, with what was found while they were set. Each folder is watched before its
/// content is read: what comes later makes an event.
struct WatchSet: ~Copyable {
    /// Which directory has the cloud's path.
    struct Place: Equatable {
        let device: UInt64
        let inode: UInt64
    }

    let root: FilePath
    private(set) var inotify = Inotify()
    private(set) var containers: [ContainerName] = []
    /// Nil when there is no cloud now.
    private(set) var place: Place?

    init(root: FilePath) { self.root = root }

    /// What keeps some event from being noticed.
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

    /// Watches the folders above the cloud; where the way ends early, the last one for the name that is missing. False when the
    /// cloud's own directory can not be there.
    private mutating func watchAncestors() -> Bool {
        var folder = FilePath("/")
        for component in root.components {
            let child = folder.appending(component)
            guard inotify.watch(folder, as: .ancestor(awaited: nil)) else { return watchAncestors() }
            if !isFolder(child) {
                let name = component.withPlatformString { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
                guard inotify.watch(folder, as: .ancestor(awaited: name)) else { return watchAncestors() }
                // It may have come just before the watch was set.
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

    /// Empty when the folder can not be read; then its watch reports when to look again.
    private func names(in path: FilePath) -> [String] {
        let raw = path.withPlatformString { open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard raw >= 0 else { return [] }
        return (try? Descriptor(owning: raw, path: "").names(in: ".")) ?? []
    }
}
