import CloudModel
import ContainerLog
import LocalMetadata

/// Orders the changes of place so that the log finds each place free and no folder inside itself.
extension BatchBuilder {
    /// Adds the move or deletion of an item out of the place claimed by a change, before that change: otherwise the log
    /// would find the place taken and rename the newcomer. Returns the item if it could only be moved out of the way so
    /// far.
    mutating func makeRoom(for change: Change) throws -> LocalItem? {
        guard let place = change.place else { return nil }
        let tree = transaction.remote(in: container)
        let key = NameKey(place.name, folding: try tree.state().foldsNames)
        guard let resident = try tree.child(of: place.parent, key: key), resident != place.item else { return nil }
        if let departure = try transaction.pending.departure(of: resident, in: container), !departure.isSent {
            try addAlone(departure)
            // The deletion of a folder may have to wait for the items that left it, or for the next batch.
            if let waiting = try transaction.pending.departure(of: resident, in: container), !waiting.isSent {
                try changes.append(moveAside(resident, to: place.parent))
            }
            return nil
        }
        guard let item = try transaction.local.item(resident, in: container), !item.isExcluded,
            try !transaction.local.isPaused(item)
        else { return nil }
        // An item merely behind the log keeps the place: the log's rules decide.
        guard try hasLeft(item) else { return nil }
        try addAlone(item)
        guard !complete.contains(resident), try isWaitingForThisBatch(item) else { return nil }
        // Two items that swap places, or two with one moving into the other, need a third place.
        try changes.append(moveAside(resident, to: place.parent))
        return item
    }

    /// Returns the move of an item to a third place, until a further change moves or deletes it.
    func moveAside(_ item: ItemID, to parent: ItemID) throws -> Change {
        .move(item, parent: parent, name: try ItemName("\(item).moving"))
    }

    /// Returns whether the item, or a folder above it, is being added further up the call stack: then it can be added
    /// afterwards, in this batch. Items in a folder with paused sync cannot.
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

    /// Adds the folder of an item. Returns false if the log lacks the folder and must not receive it now: the items
    /// inside wait with it, because the log would give them a different place.
    mutating func addParent(of item: LocalItem) throws -> Bool {
        if item.kind == .folder { try addMovedFolders(above: item) }
        guard item.parent != .root, let parent = try transaction.local.item(item.parent),
            try transaction.remote(parent.item, in: container) == nil
        else { return true }
        try addAlone(parent)
        return complete.contains(parent.item)
    }

    /// Adds the moves of folders out of the folder that now moves into them: in the reverse order, the log would see a
    /// cycle.
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
