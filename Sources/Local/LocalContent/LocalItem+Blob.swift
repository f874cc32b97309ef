package import LocalMetadata

extension LocalItem {
    /// The blob with this item's content.
    package var blob: BlobName { BlobName(node: node.value, generation: generation) }
}
