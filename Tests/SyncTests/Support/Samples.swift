import Basics
import CloudModel
import ContainerLog
import LocalMetadata
import Sync

/// Short constructors of sample values.
extension ContentReference {
    static func sample(_ number: UInt64) -> ContentReference {
        ContentReference(digest: Digest(words: (number, 0, 0, 0)), size: number, layout: .chunk)
    }
}

extension CloudItem {
    /// Returns a file of the log with that content, in `Documents`.
    static func sample(_ content: UInt64, name: String = "a.txt", kind: ItemBody? = nil) throws -> CloudItem {
        CloudItem(
            id: ItemID(high: 1 << 63, low: 7), parent: .documents, name: try ItemName(name),
            attributes: ItemAttributes(permissions: 0o644, modified: Timestamp(seconds: 5), created: .zero),
            body: kind ?? .file(.stored(.sample(content))), version: VersionID(sequence: LogSequence(1), index: 0),
            author: DeviceID(2), authorName: "other")
    }

    func with(_ change: (inout CloudItem) -> Void) -> CloudItem {
        var item = self
        change(&item)
        return item
    }
}

extension LocalState {
    /// Returns the state of a device that has followed `item`, with all bytes local.
    static func following(_ item: CloudItem, isMaterialised: Bool = true) -> LocalState {
        var row = LocalItem(
            container: ContainerID(1), item: item.id, parent: NodeID(17), name: item.name,
            kind: LocalKind(rawValue: item.body.kind.rawValue) ?? .file, attributes: item.attributes, changed: .zero)
        row.size = item.body.content?.size ?? 0
        row.content = item.body.content?.reference
        row.presence = isMaterialised ? .whole : .none
        return LocalState(row, kind: item.body.kind, parent: item.parent, hasChildren: false, evictsOnUpdate: false)
    }

    func with(_ change: (inout LocalState) -> Void) -> LocalState {
        var state = self
        change(&state)
        return state
    }
}

extension ItemTrees {
    func with(_ change: (inout ItemTrees) -> Void) -> ItemTrees {
        var trees = self
        change(&trees)
        return trees
    }
}
