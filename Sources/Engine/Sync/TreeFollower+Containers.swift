import CloudModel
import LocalMetadata

extension TreeFollower {
    /// Shows the container's folder, or hides it if it was removed and is empty. Must be called after the items were followed.
    mutating func showContainer() throws {
        guard var folder = try transaction.local.item(.root, in: container) else { return }
        // A container not marked as removed by any honest device is never hidden.
        let hides =
            try folder.isMarkedRemoved && transaction.local.isVacant(folder)
            && transaction.container(container)?.name != .cloudDocs
        let parent: NodeID = hides ? .removedContainers : .root
        guard folder.parent != parent, try transaction.local.item(named: folder.name, in: parent) == nil else { return }
        folder.parent = parent
        folder.changed = now
        try transaction.local.update(folder)
        enter(.root, folder.name)
    }
}
