import CloudModel
import ContainerLog
package import LocalMetadata

/// Deletions in a batch.
extension BatchBuilder {
    /// Adds a deletion, where the log has something to delete; of something in a package with all else of it.
    package mutating func add(_ departure: Departure) throws {
        // A folder that stays on this device is in no package of the log, wherever it is here.
        guard let folder = try transaction.item(departure.parent), !folder.isExcluded,
            let package = try packages.package(around: folder, transaction)
        else { return try addAlone(departure) }
        try add(package: package, instead: { try $0.addAlone(departure) })
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
            return try transaction.removeDeparture(of: departure.item, in: container)
        }
        changes.append(contentsOf: plan.changes)
        try transaction.markSent(departure)
    }

    /// The log deletes a folder once nothing is in it: what left it comes first in the batch, whatever the clock said when it did.
    private mutating func addDepartures(inside folder: ItemID) throws {
        for child in try RemoteTree(transaction, container: container).children(of: folder) where !isFull {
            guard let departure = try transaction.departure(of: child, in: container), !departure.isSent else {
                continue
            }
            try addAlone(departure)
        }
    }
}
