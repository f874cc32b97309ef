import Glibc

/// The differences between the mount and the disk, in words.
struct Comparison {
    let disk: Snapshot
    let mount: Snapshot
    private(set) var differences: [String] = []

    /// Compares everything comparable at a single moment.
    init(disk: Snapshot, mount: Snapshot) {
        self.disk = disk
        self.mount = mount
        differences = mount.complaints + disk.complaints
        for path in Set(disk.entries.keys).union(mount.entries.keys) {
            switch (disk.entries[path], mount.entries[path]) {
            case (let one?, let other?): compare(one, other, path)
            case (nil, _?): differences.append("\(path) is in the mount only")
            case (_?, nil): differences.append("\(path) is on the disk only")
            case (nil, nil): break
            }
        }
    }

    mutating func note(_ difference: String) { differences.append(difference) }

    private mutating func expect<T: Equatable>(_ what: String, _ path: Path, _ disk: T, _ mount: T) {
        if disk != mount { differences.append("\(what) of \(path): \(disk) on the disk, \(mount) in the mount") }
    }

    private mutating func compare(_ disk: Snapshot.Entry, _ mount: Snapshot.Entry, _ path: Path) {
        expect("mode", path, String(disk.mode, radix: 8), String(mount.mode, radix: 8))
        expect("user", path, disk.user, mount.user)
        expect("group", path, disk.group, mount.group)
        expect("attributes", path, disk.attributes, mount.attributes)
        if disk.modified < Self.year2020 { expect("time", path, disk.modified, mount.modified) }
        guard !disk.isFolder else { return }
        expect("links", path, disk.links, mount.links)
        expect("size", path, disk.size, mount.size)
        if mount.type == S_IFREG, mount.size > 0, mount.blocks == 0 {
            differences.append("\(path) has bytes but no blocks, so tools take it for a hole")
        }
        compareContent(disk, mount, path)
    }

    private mutating func compareContent(_ disk: Snapshot.Entry, _ mount: Snapshot.Entry, _ path: Path) {
        guard let one = disk.content, let other = mount.content else {
            expect("readability", path, disk.content != nil, mount.content != nil)
            return
        }
        guard !one.isSame(as: other) else { return }
        let place = zip(one, other).enumerated().first { $0.element.0 != $0.element.1 }?.offset
        differences.append(
            "bytes of \(path): \(one.count) on the disk, \(other.count) in the mount, different from \(place ?? min(one.count, other.count)) on"
        )
    }

    /// Times set explicitly by histories are before 2020; times left by system calls are after it.
    private static let year2020 = 1_577_836_800 * 1_000_000_000

    /// Compares changes since the previous snapshots: times, and the items behind names.
    mutating func compareChanges(
        sinceDisk before: Snapshot, mount mountBefore: Snapshot, by operation: Operation
    ) {
        for (path, new) in mount.entries {
            guard let old = mountBefore.entries[path], let oldDisk = before.entries[path],
                let newDisk = disk.entries[path]
            else { continue }
            if !operation.remakes { expect("another item", path, oldDisk.node != newDisk.node, old.node != new.node) }
            // Two items may have the same time, because the clock of a disk is coarse.
            guard old.node == new.node, oldDisk.node == newDisk.node, new.type != S_IFIFO else { continue }
            expect("a new mtime", path, oldDisk.modified != newDisk.modified, old.modified != new.modified)
            expect("a new ctime", path, oldDisk.changed != newDisk.changed, old.changed != new.changed)
            if new.changed < old.changed { differences.append("ctime of \(path) went backwards") }
            if new.modified < old.modified, !operation.setsTimes {
                differences.append("mtime of \(path) went backwards")
            }
        }
    }
}
