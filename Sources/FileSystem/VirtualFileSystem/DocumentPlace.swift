import CloudModel
import LocalMetadata

/// The name of a document, where a program finds it.
struct DocumentPlace: Hashable {
    let folder: NodeID
    let name: ItemName

    init(_ folder: NodeID, _ name: ItemName) {
        self.folder = folder
        self.name = name
    }

    init(of item: LocalItem) { self.init(item.parent, item.name) }
}
