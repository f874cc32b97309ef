/// The name of a blob: the node whose content it is, and which of its contents. A replaced content gets a new generation, so what a
/// handle has open is never written over.
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
