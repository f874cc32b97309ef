package import Basics

/// Gathers a package's changes, which are sent together.
extension PendingChanges {
    /// Returns the unsent changes of a package and its contents.
    package func unsentChanges(ofPackage node: NodeID, settledBefore time: Timestamp) throws -> PackageDelta {
        var delta = PackageDelta()
        guard let package = try transaction.local.item(node) else { return delta }
        delta.isUnderway = try transaction.local.isPaused(in: package.parent)
        try transaction.local.forEach(below: package) { item in
            guard !item.isExcluded, !item.isConflictSibling else { return }
            if item.isWriting || item.isEdited || item.isPaused { delta.isUnderway = true }
            if let since = item.pendingSince {
                if since > time { delta.isUnderway = true }
                delta.items.append(item)
                delta.bytes += item.roughSize
            }
            guard item.kind == .folder else { return }
            for departure in try unsentDepartures(below: item.node) {
                if departure.time > time { delta.isUnderway = true }
                delta.departures.append(departure)
                delta.bytes += 64
            }
        }
        return delta
    }
}
