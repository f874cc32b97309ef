import Glibc

/// A folder in the mount and one on the disk beside it, on which the same calls are made.
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

    /// Makes one call on both sides and compares its results and everything that can be seen after it.
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
                // A link that was undone on the disk has left its traces there.
                if case .link = operation { return }
                comparison.compareChanges(sinceDisk: disk, mount: mount, by: operation)
            }
    }

    /// The result that the call must have: that of the disk, except for what the mount refuses on purpose (docs/SEMANTICS.md).
    private mutating func expected(_ operation: Operation) -> Outcome {
        let outcome = disk.perform(operation)
        guard case .link(_, let new) = operation, outcome.code == 0 else { return outcome }
        _ = disk.perform(.unlink(new))
        return .failure(EPERM)
    }

    /// Whether the mount may refuse it: a folder is not exchanged where one of the names stays local. A second exchange undoes the first.
    private func mayRefuse(_ operation: Operation) -> Bool {
        guard case .rename(let from, let to, flags: 2) = operation else { return false }
        return [from, to].contains { diskNow.entries[$0]?.isFolder ?? true } && diskNow.holdsLocal
    }

    /// Compares the present states, and with `changes` also how they changed since the previous ones.
    mutating func look(
        _ changes: (inout Comparison, _ diskBefore: Snapshot, _ mountBefore: Snapshot) -> Void = { _, _, _ in }
    ) -> [String] {
        var comparison = Comparison(disk: Snapshot(of: disk.root), mount: Snapshot(of: mount.root))
        changes(&comparison, diskNow, mountNow)
        (diskNow, mountNow) = (comparison.disk, comparison.mount)
        return comparison.differences
    }

    /// Plays operations until one returns or leaves something else in the mount than on the disk.
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
