import CloudModel
import ContainerLog
import LocalMetadata

/// Orders the changes of place so that the log finds each place free and no folder inside itself.
extension BatchBuilder {
    /// Adds the move or deletion of an item that left the place that a change claims before that change: otherwise the log would find the
    /// place taken and give the newcomer another name. Returns the item that could only be moved out of the way so far.
    mutating func makeRoom(for change: Change) throws -> LocalItem? {
        guard let place = change.place else { return nil }
        let tree = transaction.remote(in: container)
        let key = NameKey(place.name, folding: try tree.state().foldsNames)
        guard let resident = try tree.child(of: place.parent, key: key), resident != place.item else { return nil }
        if let departure = try transaction.pending.departure(of: resident, in: container), !departure.isSent {
            try moveOut(of: resident, for: place.item, to: place.parent)
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
        // Two items that swap places, or of which one moves into the other, need a third place.
        changes.append(.move(resident, parent: place.parent, name: try ItemName("\(resident).moving")))
        return item
    }

    /// Adds the moves of items out of a deleted folder before its deletion: the log deletes a folder only once it is empty. An item whose own
    /// move has to follow, because it takes the folder's name or is being added further up the call stack, gets a third place until then.
    private mutating func moveOut(of folder: ItemID, for newcomer: ItemID, to parent: ItemID) throws {
        for item in try itemsMoved(outOf: folder) {
            if item.item != newcomer { try addAlone(item) }
            let isUnderway = planned.contains(item.item) && !complete.contains(item.item)
            guard isUnderway || item.item == newcomer else { continue }
            changes.append(.move(item.item, parent: parent, name: try ItemName("\(item.item).moving")))
        }
    }

    /// Returns the items that are in a deleted folder in the log, and elsewhere on this device.
    private func itemsMoved(outOf folder: ItemID) throws -> [LocalItem] {
        let tree = transaction.remote(in: container)
        var (folders, seen): ([ItemID], Set<ItemID>) = ([folder], [folder])
        var moved: [LocalItem] = []
        while let next = folders.popLast() {
            for child in try tree.children(of: next) where seen.insert(child).inserted {
                if let item = try transaction.local.item(child, in: container) {
                    if !item.isExcluded { moved.append(item) }
                } else {
                    folders.append(child)
                }
            }
        }
        return moved
    }

    /// Returns whether the item, or a folder above it, is being added further up the call stack: then it can be added afterwards, in this
    /// batch. Items in a folder whose sync is paused cannot.
    private func isWaitingForThisBatch(_ item: LocalItem) throws -> Bool {
        var next = item
        // Damaged rows may form a cycle; no path has more folders.
        for _ in 0..<4096 {
            if next.isExcluded || next.isPaused { return false }
            if planned.contains(next.item), !complete.contains(next.item) { return true }
            guard next.parent != .root, let folder = try transaction.local.item(next.parent) else { return false }
            next = folder
        }
        return false
    }

    /// Adds the folder of an item. Returns false where the log does not have the folder and must not receive it now: the items inside wait
    /// with it, because the log would give them another place.
    mutating func addParent(of item: LocalItem) throws -> Bool {
        if item.kind == .folder { try addMovedFolders(above: item) }
        guard item.parent != .root, let parent = try transaction.local.item(item.parent),
            try transaction.remote(parent.item, in: container) == nil
        else { return true }
        try addAlone(parent)
        return complete.contains(parent.item)
    }

    /// Adds the moves of folders that left the folder which now moves into them: in the other order, the log would see a cycle.
    private mutating func addMovedFolders(above item: LocalItem) throws {
        var above: [LocalItem] = []
        var next = item.parent
        // Damaged rows may form a cycle; no path has more folders.
        for _ in 0..<4096 {
            guard next != .root, let folder = try transaction.local.item(next) else { break }
            if folder.pendingSince != nil { above.append(folder) }
            next = folder.parent
        }
        for folder in above.reversed() { try addAlone(folder) }
    }
}
