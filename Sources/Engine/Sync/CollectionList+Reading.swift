import Basics
import Chunking
package import CloudModel
package import CloudStorage

extension CollectionList {
    /// The longest content of a list: the most keys, each with the longest epoch.
    private static let maximumBytes = UInt64(1 + maximumKeys * 42)

    /// Reads the list named by a collection's proposal.
    ///
    /// - Parameters:
    ///   - epoch: The collection's epoch.
    ///   - chunk: Returns the plain bytes of a chunk.
    /// - Throws: `damaged` and decoding errors for a meaningless list, and all errors of `chunk`.
    package init(
        reading content: ContentReference, of epoch: UInt64, chunk: (ChunkID) async throws -> [UInt8]
    ) async throws {
        guard content.size <= Self.maximumBytes else {
            throw CloudError(.damaged, "The list of a collection is too long.")
        }
        let manifest =
            if let within = Manifest(within: content) { within } else {
                try Manifest(decoding: try await chunk(content.digest), size: content.size)
            }
        var bytes: [UInt8] = []
        for entry in manifest.chunks {
            try Task.checkCancellation()
            let piece = try await chunk(entry.id)
            guard piece.count == entry.length else {
                throw CloudError(.damaged, "A chunk of the list of a collection has another length.")
            }
            bytes += piece
        }
        try self.init(decoding: bytes, of: epoch)
    }
}
