/// A name for the bytes of one version of a file. Equal bytes have equal references: chunk boundaries depend only on
/// content.
package struct ContentReference: Hashable, Sendable {
    package enum Layout: UInt8, Sendable {
        /// No bytes at all; the digest is that of the empty string.
        case empty = 0
        /// One chunk; the digest names it.
        case chunk = 1
        /// Several chunks; the digest names the chunk with their ``Manifest``.
        case manifest = 2
    }

    package let digest: Digest
    package let size: UInt64
    package let layout: Layout

    package init(digest: Digest, size: UInt64, layout: Layout) {
        self.digest = digest
        self.size = size
        self.layout = layout
    }
}
