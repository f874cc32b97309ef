import CloudModel
import ContainerLog
package import LocalMetadata

/// Deletions in a batch.
extension BatchBuilder {
    /// Adds a deletion, where the log has something to delete; of something in a package with all else of it.
    package mutating func add(_ departure: Departure) throws {
        guard let package = try package(around: departure) else { return try addAlone(departure) }
        try add(package: package, instead: { try $0.addAlone(departure) })
        if packages.states[package] == .complete { try addAlone(departure) }
    }

    /// - Returns: The package that the item was in; nil if it was in none.
    private mutating func package(around departure: Departure) throws -> NodeID? {
        var folder = try transaction.local.item(departure.parent)
        if folder == nil {
            // Its folder is deleted as well: only the log has the package that this folder was in.
            let tree = transaction.remote(in: container)
            guard let parent = try tree.item(departure.item)?.parent,
                let package = try tree.packages(around: parent).last
            else { return nil }
            folder = try transaction.local.item(package.id, in: container)
        }
        // A folder that stays on this device is in no package of the log, wherever it is here.
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
            return try transaction.pending.removeDeparture(of: departure.item, in: container)
        }
        changes.append(contentsOf: plan.changes)
        try transaction.pending.markSent(departure)
    }

    /// The log deletes a folder once nothing is in it: what left it comes first in the batch, whatever the clock said when it did.
    private mutating func addDepartures(inside folder: ItemID) throws {
        for child in try transaction.remote(in: container).children(of: folder) where !isFull {
            guard let departure = try transaction.pending.departure(of: child, in: container), !departure.isSent else {
                continue
            }
            try addAlone(departure)
        }
    }
}
