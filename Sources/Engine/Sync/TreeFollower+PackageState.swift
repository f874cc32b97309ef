import CloudModel
import ContainerLog
import LocalContent
import LocalMetadata

/// Restores an earlier state of a package.
extension TreeFollower {
    /// Shows an earlier state of a package as an edit of this device: exactly the files of that state. Files excluded
    /// from sync stay.
    mutating func restore(_ state: PackageState, of package: LocalItem) throws {
        var rows: [[ItemName]: LocalItem] = [:]
        var folders: [NodeID: [ItemName]] = [package.node: []]
        var hasAllBytes = true
        try transaction.local.forEach(below: package) { row in
            guard row.node != package.node, !row.isExcluded, row.conflict == nil, let folder = folders[row.parent]
            else { return }
            let path = folder + [row.name]
            rows[path] = row
            if row.kind == .folder { folders[row.node] = path }
            if row.kind == .file, !row.isMaterialised { hasAllBytes = false }
        }
        let wanted = Dictionary(state.contents.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
        var kept: Set<[ItemName]> = []
        for path in wanted.keys { for length in 0..<path.count { kept.insert(Array(path.prefix(length))) } }
        // The innermost first: a folder is removed after its children.
        var emptied: Set<NodeID> = []
        for (path, row) in rows.sorted(by: { $0.key.count > $1.key.count }) {
            let stays = row.kind == .folder ? kept.contains(path) : wanted[path].map { $0.fits(row) } ?? false
            guard !stays else { continue }
            if row.kind == .folder, wanted[path] == nil {
                // A folder that was already empty is not part of any state, and stays.
                guard emptied.contains(row.node), try !transaction.local.hasChildren(row.node) else { continue }
            } else if row.kind == .folder, try transaction.local.hasChildren(row.node) {
                continue
            }
            try depart(row)
            rows[path] = nil
            emptied.insert(row.parent)
        }
        for (path, content) in wanted.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            if let row = rows[path] {
                try replace(row, by: content, hasAllBytes)
            } else if let folder = try makeFolders(path.dropLast(), in: package, &rows), let name = path.last {
                try add(content, name, in: folder, hasAllBytes)
            }
        }
    }

    /// Removes a row as a deletion of this device.
    mutating func depart(_ row: LocalItem) throws {
        try drop(row)
        guard row.isKnown else { return }
        try transaction.pending.insert(
            Departure(
                container: container, item: row.item, parent: row.parent, name: row.name, kind: row.kind, time: now))
    }

    private mutating func replace(_ old: LocalItem, by content: PackageContent, _ isWanted: Bool) throws {
        guard case .file(let reference) = content.body, old.kind == .file, old.content != reference else { return }
        var item = old
        if isOpen(item.node) { item = try renumber(item) }
        setPlaceholder(.stored(reference), &item)
        item.generation = max(item.generation, old.generation + 1)
        (item.attributes.modified, item.changed, item.pendingSince) = (now, now, now)
        item.wanted = isWanted && item.presence != .whole ? 50 : 0
        try transaction.local.update(item)
        if old.presence != .none, item.node == old.node { effects.orphanedBlobs.append(old.blob) }
        if item.wanted > 0 { effects.wantsDownloads = true }
        effects.changedNodes.insert(old.node)
        enter(item.parent, item.name)
    }

    private mutating func add(
        _ content: PackageContent, _ name: ItemName, in folder: LocalItem, _ isWanted: Bool
    ) throws {
        // An item excluded from sync may have the name.
        let name =
            try transaction.local.item(named: name, in: folder.node) == nil ? name : freeName(name, in: folder.node)
        var item = newRow(name, in: folder, .file, permissions: content.permissions)
        switch content.body {
        case .file(let reference):
            setPlaceholder(.stored(reference), &item)
            item.wanted = isWanted && item.presence != .whole ? 50 : 0
        case .symlink(let target):
            item.kind = .symlink
            item.target = target
        }
        effects.created.insert(try transaction.local.insert(item))
        if item.wanted > 0 { effects.wantsDownloads = true }
        enter(folder.node, name)
    }

    private mutating func makeFolders(
        _ path: ArraySlice<ItemName>, in package: LocalItem, _ rows: inout [[ItemName]: LocalItem]
    ) throws -> LocalItem? {
        var folder = package
        for length in path.indices.map({ $0 + 1 }) {
            let key = Array(path.prefix(length))
            if let row = rows[key] {
                guard row.kind == .folder else { return nil }
                folder = row
                continue
            }
            guard let name = key.last else { return nil }
            let free = try transaction.local.item(named: name, in: folder.node) == nil
            var made = newRow(
                free ? name : try freeName(name, in: folder.node), in: folder, .folder, permissions: 0o755)
            made.node = try transaction.local.insert(made)
            effects.created.insert(made.node)
            enter(folder.node, made.name)
            rows[key] = made
            folder = made
        }
        return folder
    }

    private func newRow(_ name: ItemName, in folder: LocalItem, _ kind: LocalKind, permissions: UInt16) -> LocalItem {
        var item = LocalItem(
            container: container, item: newID(), parent: folder.node, name: name, kind: kind,
            attributes: ItemAttributes(permissions: permissions, modified: now, created: now), changed: now)
        item.pendingSince = now
        return item
    }
}

extension PackageContent {
    /// Returns whether a row can take this content without being replaced.
    fileprivate func fits(_ row: LocalItem) -> Bool {
        switch body {
        case .file: row.kind == .file
        case .symlink(let target): row.kind == .symlink && row.target == target
        }
    }
}
