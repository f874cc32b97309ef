import CloudModel
import ContainerLog
package import LocalMetadata

/// Adds deletions to a batch.
extension BatchBuilder {
    /// Adds a deletion where the log has something to delete. A deletion inside a package is added with all other changes of the package.
    package mutating func add(_ departure: Departure) throws {
        guard let package = try package(around: departure) else { return try addAlone(departure) }
        try add(package: package, instead: { try $0.addAlone(departure) })
        if packages.states[package] == .complete { try addAlone(departure) }
    }

    /// - Returns: The package that the item was in; nil if it was in none.
    private mutating func package(around departure: Departure) throws -> NodeID? {
        var folder = try transaction.local.item(departure.parent)
        if folder == nil {
            // The item's folder is deleted as well: only the log knows the package that this folder was in.
            let tree = transaction.remote(in: container)
            guard let parent = try tree.item(departure.item)?.parent,
                let package = try tree.packages(around: parent).last
            else { return nil }
            folder = try transaction.local.item(package.id, in: container)
        }
        // A folder that stays on this device is in no package of the log, regardless of where it is here.
        guard let folder, !folder.isExcluded else { return nil }
        return try packages.package(around: folder, transaction)
    }

    mutating func addAlone(_ departure: Departure) throws {
        guard planned.insert(departure.item).inserted else { return }
        let trees = try transaction.trees(of: departure.item, in: container)
        if trees.remote?.body == .folder {
            try addDepartures(inside: departure.item)
            guard !isFull else { return }
        }
        let plan = reconciler.plan(trees)
        guard !plan.changes.isEmpty else {
            returning.append(departure.item)
            return try transaction.pending.removeDeparture(of: departure.item, in: container)
        }
        // The log turns the unresolved versions of a deleted document into files, which would keep the folder from being deleted.
        if trees.remote?.conflicts.isEmpty == false {
            try add(transaction.pending.unsentResolutions(of: departure.item, in: container))
        }
        changes.append(contentsOf: plan.changes)
        try transaction.pending.markSent(departure)
    }

    /// Adds the deletions of items that left the folder. The log deletes a folder once it is empty, so they precede the folder's own
    /// deletion in the batch, whatever their times are.
    private mutating func addDepartures(inside folder: ItemID) throws {
        for child in try transaction.remote(in: container).children(of: folder) where !isFull {
            guard let departure = try transaction.pending.departure(of: child, in: container), !departure.isSent else {
                continue
            }
            try addAlone(departure)
        }
    }
}
