package import Basics
package import Chunking
package import CloudModel

/// Computes the reference of a file's content without sending it.
package struct ContentHasher: Sendable {
    private let pool: BlockingPool
    private let chunker: FileChunker

    package init(pool: BlockingPool, parameters: ChunkingParameters = .version1) {
        self.pool = pool
        chunker = FileChunker(parameters)
    }

    /// Throws ``TransferError``, or `CancellationError`.
    package func reference(_ file: SharedDescriptor) async throws -> ContentReference {
        try await manifest(file).reference
    }

    package func manifest(_ file: SharedDescriptor) async throws -> Manifest {
        var entries: [ChunkEntry] = []
        var offset: UInt64 = 0
        while true {
            try Task.checkCancellation()
            let scan = try await step(file, from: offset)
            entries += scan.entries
            offset = scan.nextOffset
            guard entries.count <= Manifest.maximumCount else { throw TransferError.tooManyChunks(offset) }
            if scan.reachedEnd { return Manifest(entries) }
        }
    }

    private func step(_ file: SharedDescriptor, from offset: UInt64) async throws -> ChunkScan {
        do {
            return try await pool.run { [chunker] in
                try chunker.scan(file.raw, from: offset, budget: UploadStager.stepBytes)
            }
        } catch {
            throw TransferError(error)
        }
    }
}
