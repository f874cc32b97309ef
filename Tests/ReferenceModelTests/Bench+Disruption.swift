import CLinux
import Glibc

extension Bench {
    /// Asks for the bytes of each file to be dropped. What is not in the cloud stays, which the mount decides.
    mutating func evict() {
        for (path, entry) in mountNow.entries where entry.type == S_IFREG {
            _ = mount.with(path) { path in .done { lsetxattr(path, "user.ubiquity.evict", "1", 1, 0) } }
        }
    }

    /// Removes what other devices never hear of, so that they see the same.
    mutating func removeLocal() { remove { snapshot, path in snapshot.isLocal(path) } }

    mutating func removeAll() { remove { _, path in !path.bytes.isEmpty } }

    private mutating func remove(_ isMeant: (Snapshot, Path) -> Bool) {
        _ = look()
        for paths in [diskNow, mountNow].map({ now in now.entries.keys.filter { isMeant(now, $0) } }) {
            // What is in a folder goes before it.
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
    /// Whether an item stays on its device: a pipe, or one with a name that programs give to temporary files.
    func isLocal(_ path: Path) -> Bool {
        entries[path]?.type == S_IFIFO
            || path.bytes.split(separator: UInt8(ascii: "/")).contains { $0.last == UInt8(ascii: "~") }
    }

    var withoutLocal: Snapshot {
        var result = self
        result.entries = entries.filter { !isLocal($0.key) }
        return result
    }
}

extension Comparison {
    /// Nobody did anything: each item is the same one, with the same times.
    mutating func expectUntouched(sinceMount before: Snapshot) {
        for (path, new) in mount.entries {
            guard let old = before.entries[path] else { continue }
            if old.node != new.node { note("\(path) has another inode number") }
            if old.modified != new.modified { note("\(path) has another mtime: \(old.modified), then \(new.modified)") }
        }
    }
}
