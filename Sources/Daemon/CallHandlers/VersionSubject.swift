import CloudModel
import LocalMetadata

/// The document of a request for versions: an existing one, or the last one of that name that was deleted.
struct VersionSubject {
    /// The item; nil if it was deleted.
    let item: LocalItem?
    let id: ItemID
    let container: ContainerID
    let name: ItemName
    let isPackage: Bool
}
