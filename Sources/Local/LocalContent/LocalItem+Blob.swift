package import LocalMetadata

extension LocalItem {
    /// The blob that holds this item's content.
    package var blob: BlobName { BlobName(node: node.value, generation: generation) }
}
