import CloudModel
import LocalMetadata

/// The document of a request for versions: an existing document, or the last deleted document of that name.
struct VersionSubject {
    /// The item; nil if it was deleted.
    let item: LocalItem?
    let id: ItemID
    let container: ContainerID
    let name: ItemName
    let isPackage: Bool
}
