/// A blob's name: its node, and the generation of the content. Replaced content gets a new generation, so a blob with
/// an open handle is never overwritten.
package struct BlobName: Hashable, Sendable, CustomStringConvertible {
    package let node: UInt64
    package let generation: UInt64

    package init(node: UInt64, generation: UInt64) {
        self.node = node
        self.generation = generation
    }

    package var description: String { "\(node).\(generation)" }

    init?(fileName: String) {
        let parts = fileName.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let node = UInt64(parts[0]), let generation = UInt64(parts[1]) else { return nil }
        self.init(node: node, generation: generation)
    }
}
