import LocalMetadata

/// Decides which announcements watchers need. Pure; the tree is read through closures.
struct WatchPlan {
    struct Item: Equatable {
        let node: NodeID
        let kind: LocalKind
        let place: Announcement.Place
    }

    /// Nodes with an inotify watch.
    let watched: Set<UInt64>
    let itemAt: (Announcement.Place) -> Item?
    let itemOf: (NodeID) -> Item?

    /// Returns removals first, to free their names for successors.
    func announcements(of changes: RemoteChanges) -> [Announcement] {
        var result = changes.removed.compactMap { removal($0, in: changes) }
        var announced = Set(result.map(\.node))
        func announce(_ item: Item, _ change: Announcement.Change) {
            if announced.insert(item.node).inserted { result.append(item.announcement(change)) }
        }
        for (node, former) in changes.moved.sorted(by: { $0.key.value < $1.key.value }) {
            guard let item = itemOf(node), item.place != former, isWatched(node, former.parent, item.place.parent)
            else { continue }
            announce(item, .moved(from: former))
        }
        for node in changes.created {
            guard let item = itemOf(node), isWatched(item.place.parent) else { continue }
            announce(item, .created)
        }
        for node in changes.nodes {
            guard let item = itemOf(node), item.kind == .file, isWatched(node, item.place.parent) else { continue }
            announce(item, .modified)
        }
        return result
    }

    /// A file open during its change gets a new node under its name. A name taken by a different item is announced with
    /// that item.
    private func removal(_ item: RemoteChanges.Removed, in changes: RemoteChanges) -> Announcement? {
        guard isWatched(item.node, item.place.parent) else { return nil }
        guard let successor = itemAt(item.place) else {
            return Announcement(node: item.node, kind: item.kind, place: item.place, change: .removed)
        }
        let isNew = changes.moved[successor.node] != nil || changes.created.contains(successor.node)
        return successor.kind == .file && !isNew ? successor.announcement(.modified) : nil
    }

    private func isWatched(_ nodes: NodeID...) -> Bool { nodes.contains { watched.contains($0.value) } }
}

extension WatchPlan.Item {
    fileprivate func announcement(_ change: Announcement.Change) -> Announcement {
        Announcement(node: node, kind: kind, place: place, change: change)
    }
}
