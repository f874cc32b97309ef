import CloudModel
import LocalMetadata

/// What a request for versions is about: a document that is there, or the last one of that name that was deleted.
struct VersionSubject {
    /// Nil if it was deleted.
    let item: LocalItem?
    let id: ItemID
    let container: ContainerID
    let name: ItemName
    let isPackage: Bool
}
