import CloudModel
import LocalMetadata

extension TreeFollower {
    /// Shows the container's folder, unless it was removed and has nothing in it. To be called after what was followed.
    mutating func showContainer() throws {
        guard var folder = try transaction.local.item(.root, in: container) else { return }
        // What an honest device never marks is never hidden.
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
