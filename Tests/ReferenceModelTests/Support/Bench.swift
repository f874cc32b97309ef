import Glibc

/// A folder in the mount and a folder on the disk beside it. The bench makes the same calls on both.
struct Bench: ~Copyable {
    var disk: Side
    var mount: Side
    private(set) var diskNow: Snapshot
    private(set) var mountNow: Snapshot

    /// - Precondition: Both folders exist and are empty.
    init(disk: String, mount: String) {
        self.disk = Side(root: disk)
        self.mount = Side(root: mount)
        diskNow = Snapshot(of: disk)
        mountNow = Snapshot(of: mount)
    }

    /// Makes a call on both sides, and compares the results and the visible states afterwards.
    mutating func perform(_ operation: Operation) -> [String] {
        let onDisk = expected(operation)
        let inMount = mount.perform(operation)
        if onDisk.code == 0, inMount.code == EINVAL, mayRefuse(operation) {
            _ = disk.perform(operation)
            return look()
        }
        var complaints: [String] = []
        if onDisk != inMount { complaints.append("it returns \(onDisk) on the disk, \(inMount) in the mount") }
        let (one, other) = (disk.openStatuses(), mount.openStatuses())
        if one != other { complaints.append("open files are \(one) on the disk, \(other) in the mount") }
        return complaints
            + look { comparison, disk, mount in
                // On the disk, a link removed again by `expected` has left its traces.
                if case .link = operation { return }
                comparison.compareChanges(sinceDisk: disk, mount: mount, by: operation)
            }
    }

    /// Returns the call's required result: the disk's, except where the mount refuses a call on purpose
    /// (docs/SEMANTICS.md).
    private mutating func expected(_ operation: Operation) -> Outcome {
        guard case .link(_, let new) = operation else { return disk.perform(operation) }
        return disk.keepingFolderTime(of: new) { disk in
            let outcome = disk.perform(operation)
            guard outcome.code == 0 else { return outcome }
            _ = disk.perform(.unlink(new))
            return .failure(EPERM)
        }
    }

    /// Whether the mount may refuse the call: it does not exchange a folder if one of the names stays local. A second
    /// exchange on the disk undoes the first.
    private func mayRefuse(_ operation: Operation) -> Bool {
        guard case .rename(let from, let to, flags: 2) = operation else { return false }
        return [from, to].contains { diskNow.entries[$0]?.isFolder ?? true } && diskNow.holdsLocal
    }

    /// Compares the current states. `changes` also compares their changes since the previous states.
    mutating func look(
        _ changes: (inout Comparison, _ diskBefore: Snapshot, _ mountBefore: Snapshot) -> Void = { _, _, _ in }
    ) -> [String] {
        var comparison = Comparison(disk: Snapshot(of: disk.root), mount: Snapshot(of: mount.root))
        changes(&comparison, diskNow, mountNow)
        (diskNow, mountNow) = (comparison.disk, comparison.mount)
        return comparison.differences
    }

    /// Plays operations until a result or effect in the mount differs from the disk's.
    mutating func play(_ operations: some Collection<Operation>) -> (index: Int, complaints: [String])? {
        for (index, operation) in operations.enumerated() {
            let complaints = perform(operation)
            if !complaints.isEmpty { return (index, complaints) }
        }
        return nil
    }

    mutating func closeAll() {
        disk.closeAll()
        mount.closeAll()
    }
}
