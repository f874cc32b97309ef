import CloudModel
import ContainerLog
import LocalMetadata

/// In which order changes of place are sent, so that the log finds each place free and no folder in itself.
extension BatchBuilder {
    /// An item that left the place that a change claims, or left this device, does so first in the batch: to the log, the place would
    /// be taken otherwise, and the newcomer get another name. Returns the item that could only be moved out of the way so far.
    mutating func makeRoom(for change: Change) throws -> LocalItem? {
        guard let place = change.place else { return nil }
        let tree = transaction.remote(in: container)
        let key = NameKey(place.name, folding: try tree.state().foldsNames)
        guard let resident = try tree.child(of: place.parent, key: key), resident != place.item else { return nil }
        if let departure = try transaction.pending.departure(of: resident, in: container), !departure.isSent {
            try addAlone(departure)
            return nil
        }
        guard let item = try transaction.local.item(resident, in: container), !item.isExcluded,
            try !transaction.local.isPaused(item)
        else { return nil }
        let parent = try transaction.local.item(item.parent)?.item
        guard item.name != place.name || parent != place.parent else { return nil }
        try addAlone(item)
        guard !complete.contains(resident), try isWaitingForThisBatch(item) else { return nil }
        // Two that change places, or one that wants to be in the other, need a third one.
        changes.append(.move(resident, parent: place.parent, name: try ItemName("\(resident).moving")))
        return item
    }

    /// Whether it, or a folder above it, is being added further up the call stack: then it can be added after that, in this batch. What waits
    /// in a folder whose sync is paused can not.
    private func isWaitingForThisBatch(_ item: LocalItem) throws -> Bool {
        var next = item
        // Damaged rows may lead in a circle; no path has more folders.
        for _ in 0..<4096 {
            if next.isExcluded || next.isPaused { return false }
            if planned.contains(next.item), !complete.contains(next.item) { return true }
            guard next.parent != .root, let folder = try transaction.local.item(next.parent) else { return false }
            next = folder
        }
        return false
    }

    /// Returns false where the log does not have the folder and is not to learn of it now: what is inside waits with it, for the log
    /// would give it another place.
    mutating func addParent(of item: LocalItem) throws -> Bool {
        if item.kind == .folder { try addMovedFolders(above: item) }
        guard item.parent != .root, let parent = try transaction.local.item(item.parent),
            try transaction.remote(parent.item, in: container) == nil
        else { return true }
        try addAlone(parent)
        return complete.contains(parent.item)
    }

    /// A folder that went out of the one which now moves into it: in the other order, the log would see a circle.
    private mutating func addMovedFolders(above item: LocalItem) throws {
        var above: [LocalItem] = []
        var next = item.parent
        // Damaged rows may lead in a circle; no path has more folders.
        for _ in 0..<4096 {
            guard next != .root, let folder = try transaction.local.item(next) else { break }
            if folder.pendingSince != nil { above.append(folder) }
            next = folder.parent
        }
        for folder in above.reversed() { try addAlone(folder) }
    }
}
