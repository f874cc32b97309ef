import CLinux
import Glibc

extension Bench {
    /// Requests the eviction of each file. The mount keeps all bytes not in the cloud.
    mutating func evict() {
        for (path, entry) in mountNow.entries where entry.type == S_IFREG {
            _ = mount.with(path) { path in .done { lsetxattr(path, "user.ubiquity.evict", "1", 1, 0) } }
        }
    }

    /// Removes the items that stay on the device, so that the folder is the same on all devices.
    mutating func removeLocal() { remove { snapshot, path in snapshot.isLocal(path) } }

    mutating func removeAll() { remove { _, path in !path.bytes.isEmpty } }

    private mutating func remove(_ isMeant: (Snapshot, Path) -> Bool) {
        _ = look()
        for paths in [diskNow, mountNow].map({ now in now.entries.keys.filter { isMeant(now, $0) } }) {
            // Removes the contents of a folder before the folder.
            for path in paths.sorted(by: { $0.bytes.count > $1.bytes.count }) {
                for operation in [Operation.unlink(path), .removeFolder(path)] {
                    _ = disk.perform(operation)
                    _ = mount.perform(operation)
                }
            }
        }
        _ = look()
    }
}

extension Snapshot {
    /// Whether an item stays on its device: a pipe, or an item with a temporary name, or in a folder with such a name.
    func isLocal(_ path: Path) -> Bool {
        entries[path]?.type == S_IFIFO
            || path.bytes.split(separator: UInt8(ascii: "/")).contains { $0.last == UInt8(ascii: "~") }
    }

    var holdsLocal: Bool { entries.keys.contains { isLocal($0) } }

    var withoutLocal: Snapshot {
        var result = self
        result.entries = entries.filter { !isLocal($0.key) }
        return result
    }
}

extension Comparison {
    /// Checks that each item is still the same item, with the same times.
    mutating func expectUntouched(sinceMount before: Snapshot) {
        for (path, new) in mount.entries {
            guard let old = before.entries[path] else { continue }
            if old.node != new.node { note("\(path) has another inode number") }
            if old.modified != new.modified { note("\(path) has another mtime: \(old.modified), then \(new.modified)") }
        }
    }
}
