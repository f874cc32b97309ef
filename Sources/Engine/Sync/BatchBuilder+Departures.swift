import CloudModel
import ContainerLog
package import LocalMetadata

/// Adds deletions to a batch.
extension BatchBuilder {
    /// Adds a deletion if the log has something to delete. A deletion inside a package is added with all other changes
    /// of the package.
    package mutating func add(_ departure: Departure) throws {
        guard let package = try package(around: departure) else { return try addAlone(departure) }
        try add(package: package, instead: { try $0.addAlone(departure) })
        if packages.states[package] == .complete { try addAlone(departure) }
    }

    /// - Returns: The item's former package; nil if there was none.
    private mutating func package(around departure: Departure) throws -> NodeID? {
        if let folder = try transaction.local.item(departure.parent) {
            // A local-only folder is in no package of the log, regardless of its local place.
            guard !folder.isExcluded else { return nil }
            if let package = try packages.package(around: folder, transaction) { return package }
        }
        // The item's folder was deleted as well, or a program took it out of the package before: only the log knows the package.
        let tree = transaction.remote(in: container)
        guard let parent = try tree.item(departure.item)?.parent,
            let package = try packages.package(inLogAround: parent, tree),
            let folder = try transaction.local.item(package, in: container), !folder.isExcluded
        else { return nil }
        return try packages.package(around: folder, transaction)
    }

    /// Adds a deletion. The deletion of a folder waits, unplanned, while an item moved out of it locally cannot be
    /// moved out of it in the log: the log deletes a folder only once it is empty.
    mutating func addAlone(_ departure: Departure) throws {
        guard planned.insert(departure.item).inserted else { return }
        let trees = try transaction.trees(of: departure.item, in: container)
        if trees.remote?.body == .folder {
            guard try empty(departure.item) else {
                planned.remove(departure.item)
                return
            }
            guard !isFull else { return }
        }
        let plan = reconciler.plan(trees)
        guard !plan.changes.isEmpty else {
            returning.append(departure.item)
            return try transaction.pending.removeDeparture(of: departure.item, in: container)
        }
        // The log turns a deleted document's unresolved versions into files, which would keep the folder from being
        // deleted.
        if trees.remote?.conflicts.isEmpty == false {
            try add(transaction.pending.unsentResolutions(of: departure.item, in: container))
        }
        changes.append(contentsOf: plan.changes)
        try transaction.pending.markSent(departure)
    }

    /// Adds the deletions and moves of the items that left a deleted folder, regardless of their times. Returns false
    /// if any of them has to wait. Items moved into the folder by other devices do not count, nor do items with paused
    /// sync, which may stay paused forever: the log then keeps the folder.
    private mutating func empty(_ folder: ItemID) throws -> Bool {
        var isEmpty = true
        for child in try transaction.remote(in: container).children(of: folder) where !isFull {
            if let departure = try transaction.pending.departure(of: child, in: container) {
                guard !departure.isSent else { continue }
                try addAlone(departure)
                isEmpty = isEmpty && planned.contains(child)
            } else if let item = try transaction.local.item(child, in: container), !item.isExcluded,
                try !transaction.local.isPaused(item)
            {
                let didMove = try moveOut(item, of: folder)
                isEmpty = isEmpty && didMove
            }
        }
        return isEmpty
    }

    /// Adds the move of an item out of a deleted folder. Returns false if it has to wait, because its package is not complete.
    private mutating func moveOut(_ item: LocalItem, of folder: ItemID) throws -> Bool {
        guard try hasLeft(item) else { return true }
        try add(item)
        if complete.contains(item.item) { return true }
        guard planned.contains(item.item) else { return false }
        // Its own move follows, because it takes the folder's name or is being added further up the call stack.
        try changes.append(moveAside(item.item, to: keptFolder(above: folder)))
        return true
    }

    /// Returns whether a program moved the item away from its place in the log.
    func hasLeft(_ item: LocalItem) throws -> Bool {
        try reconciler.plan(transaction.trees(of: item.item, in: container)).changes.contains { change in
            if case .move = change { true } else { false }
        }
    }

    /// Returns the nearest folder above that still exists on this device.
    private func keptFolder(above folder: ItemID) throws -> ItemID {
        let tree = transaction.remote(in: container)
        var next = folder
        // Folders of a hostile log may form a cycle; no path has more folders.
        for _ in 0..<4096 {
            guard let parent = try tree.item(next)?.parent, parent != .root else { return .root }
            if try transaction.local.node(of: parent, in: container) != nil { return parent }
            next = parent
        }
        return .root
    }
}
