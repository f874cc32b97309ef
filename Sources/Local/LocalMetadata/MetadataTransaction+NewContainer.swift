package import Basics
package import CloudModel
import ContainerLog

extension MetadataTransaction {
    /// Creates a container with its folder in the mount's root and its `Documents/`. It is appended to the log later;
    /// both folders' ids are well known, so devices that create the same container independently end with one.
    package func createContainer(_ name: ContainerName, at now: Timestamp) throws -> ContainerID {
        let container = try insertContainer(name)
        var remote = remote(in: container)
        try ContainerReducer.initialise(&remote, foldsNames: false)
        for id in [ItemID.root, .documents] { try synced.settle(id, in: container) }
        let root = try insertWellKnown(.root, try folderName(name.folderName), in: .root, container, at: now)
        try setNode(root, of: container)
        _ = try insertWellKnown(.documents, try folderName("Documents"), in: root, container, at: now)
        return container
    }

    /// Whether a container has only `Documents`, both on this device and in the log.
    package func isEmpty(_ container: ContainerID) throws -> Bool {
        for id in [ItemID.root, .documents] {
            let expected = id == .root ? 1 : 0
            guard try remote(in: container).children(of: id).count == expected,
                let node = try local.node(of: id, in: container),
                try local.children(of: node, limit: 2).count == expected
            else { return false }
        }
        return true
    }

    private func insertWellKnown(
        _ id: ItemID, _ name: ItemName, in parent: NodeID, _ container: ContainerID, at now: Timestamp
    ) throws -> NodeID {
        guard let agreed = try remote(in: container).item(id) else {
            throw MetadataError.damagedRow("a container without its root")
        }
        var item = LocalItem(
            container: container, item: id, parent: parent, name: name, kind: .folder, attributes: agreed.attributes,
            changed: now)
        item.isKnown = true
        return try local.insert(item)
    }

    private func folderName(_ text: String) throws -> ItemName {
        do { return try ItemName(text) } catch { throw MetadataError.damagedRow("the folder name \(text)") }
    }
}
