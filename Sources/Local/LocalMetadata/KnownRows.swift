import CloudModel

/// Rows known to a write transaction without reading them: its own writes, and otherwise rows in memory.
struct KnownRows {
    let changes: RowChangeLog
    let committed: RecentRows

    /// A package's row also depends on its container's declarations, which this transaction may have changed.
    subscript(node: NodeID) -> LocalItem? {
        changes.row(node) { committed[node].flatMap { $0.mayBePackage ? nil : $0 } }
    }

    /// Notes a row's new state after a statement.
    func wrote(_ item: LocalItem) {
        guard item.kind == .folder else { return changes.wrote(item) }
        guard !item.mayBePackage else { return }
        var item = item
        item.packageTypes = PackageTypes()
        changes.wrote(item)
    }
}
