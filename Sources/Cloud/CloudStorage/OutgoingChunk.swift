package import CloudModel

/// A chunk with its frame, on its way to a cloud.
package struct OutgoingChunk: Hashable, Sendable {
    /// The kind of the plain bytes. A cloud that encrypts or collects garbage treats lists of chunks differently from
    /// document bytes.
    package enum Kind: Hashable, Sendable {
        /// Document bytes.
        case data
        /// The chunk list of a content with more than one chunk.
        case manifest
    }

    package let id: ChunkID
    package let kind: Kind
    package let frame: [UInt8]

    package init(id: ChunkID, kind: Kind = .data, frame: [UInt8]) {
        self.id = id
        self.kind = kind
        self.frame = frame
    }
}
