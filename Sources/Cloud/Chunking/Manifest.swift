package import CloudModel

/// The chunks of one content in order. Offsets are sums of lengths, kept to find a range without a scan.
package struct Manifest: Hashable, Sendable {
    package let chunks: [ChunkEntry]
    /// The offset of each chunk, followed by the size of the content.
    private let offsets: [UInt64]

    /// - Precondition: lengths are positive and their sum fits 64 bits.
    package init(_ chunks: [ChunkEntry]) {
        self.chunks = chunks
        var offsets: [UInt64] = [0]
        offsets.reserveCapacity(chunks.count + 1)
        var end: UInt64 = 0
        for chunk in chunks {
            precondition(chunk.length > 0, "an empty chunk")
            end += UInt64(chunk.length)
            offsets.append(end)
        }
        self.offsets = offsets
    }

    /// The size of the content in bytes.
    package var size: UInt64 { offsets[chunks.count] }

    package func offset(of index: Int) -> UInt64 { offsets[index] }

    package func range(of index: Int) -> Range<UInt64> { offsets[index]..<offsets[index + 1] }

    /// Returns the chunks holding these bytes; none for an empty range or a range past the end.
    package func indices(covering range: Range<UInt64>) -> Range<Int> {
        let wanted = range.clamped(to: 0..<size)
        guard !wanted.isEmpty else { return 0..<0 }
        return index(holding: wanted.lowerBound)..<index(holding: wanted.upperBound - 1) + 1
    }

    /// Returns the chunk holding the byte at `position`, which lies inside the content.
    private func index(holding position: UInt64) -> Int {
        var low = 0
        var high = chunks.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if offsets[middle] <= position { low = middle } else { high = middle }
        }
        return low
    }
}

extension Manifest {
    /// The reference of the content consisting of these chunks. No chunks form the empty content, a single chunk is the
    /// content itself, and more are named by their encoded manifest.
    package var reference: ContentReference {
        switch chunks.count {
        case 0: ContentReference(digest: .ofNothing, size: 0, layout: .empty)
        case 1: ContentReference(digest: chunks[0].id, size: size, layout: .chunk)
        default: ContentReference(digest: .of(encoded()), size: size, layout: .manifest)
        }
    }

    /// The manifest contained in a reference; nil if it must be fetched first, or if layout and size contradict each
    /// other: a size without bytes must never be read as zeros.
    package init?(within reference: ContentReference) {
        switch reference.layout {
        case .empty where reference.size == 0: self.init([])
        case .chunk where reference.size > 0 && reference.size <= UInt64(ChunkFrame.maximumChunkLength):
            self.init([ChunkEntry(id: reference.digest, length: Int(reference.size))])
        case .empty, .chunk, .manifest: return nil
        }
    }
}
