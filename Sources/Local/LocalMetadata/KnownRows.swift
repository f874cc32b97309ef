import CloudModel

/// The rows that a write transaction knows without reading them: those that it wrote, and of the others those that are in memory.
struct KnownRows {
    let changes: RowChangeLog
    let committed: RecentRows

    /// A package's row also depends on what its container declares, which this transaction may have changed.
    subscript(node: NodeID) -> LocalItem? {
        changes.row(node) { committed[node].flatMap { $0.mayBePackage ? nil : $0 } }
    }

    /// Notes what a row is after a statement that changed it.
    func wrote(_ item: LocalItem) {
        guard item.kind == .folder else { return changes.wrote(item) }
        guard !item.mayBePackage else { return }
        var item = item
        item.packageTypes = PackageTypes()
        changes.wrote(item)
    }
}
