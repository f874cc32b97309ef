import Basics
import Chunking
import CloudModel
import CloudStorage
import Transfers

/// Reads contents of a cloud and verifies every chunk against its name. Each chunk is read once, however many contents contain it.
struct CloudContent {
    struct BadChunk: Hashable {
        let id: ChunkID
        let why: String
        /// Whether the cloud's bytes are wrong or missing. False if only the log's record of the chunk is.
        var isOfCloud = true
    }

    private let transfers: TransferContext
    private let container: ContainerName
    /// The lengths of intact chunks.
    private var good: [ChunkID: Int] = [:]
    private var bad: [ChunkID: String] = [:]

    init(_ transfers: TransferContext, _ container: ContainerName) {
        self.transfers = transfers
        self.container = container
    }

    /// Returns this content's damaged or missing chunks; empty if the content is intact. Throws if the cloud cannot be
    /// read at all.
    mutating func badChunks(of reference: ContentReference) async throws -> [BadChunk] {
        guard reference.layout != .empty else { return [] }
        guard reference.layout == .manifest || Manifest(within: reference) != nil else {
            let why = "the log says that one chunk has \(reference.size) bytes"
            return [BadChunk(id: reference.digest, why: why, isOfCloud: false)]
        }
        guard let manifest = try await manifest(of: reference) else {
            return [BadChunk(id: reference.digest, why: bad[reference.digest] ?? "it is damaged")]
        }
        var found: [BadChunk] = []
        for chunk in manifest.chunks {
            guard let length = try await length(of: chunk.id) else {
                found.append(BadChunk(id: chunk.id, why: bad[chunk.id] ?? "it is damaged"))
                continue
            }
            guard length != chunk.length else { continue }
            let why = "a chunk has \(length) bytes, and the log says \(chunk.length)"
            found.append(BadChunk(id: chunk.id, why: why, isOfCloud: false))
        }
        return found
    }

    /// Forgets chunks after a repeated upload, so that the next check reads them.
    mutating func forget(_ chunks: [BadChunk]) { for chunk in chunks { bad[chunk.id] = nil } }

    private mutating func manifest(of reference: ContentReference) async throws -> Manifest? {
        if let manifest = Manifest(within: reference) { return manifest }
        do {
            let plain = try await plainBytes(of: reference.digest, limit: ChunkFrame.maximumPlainLength)
            return try Manifest(decoding: plain, size: reference.size)
        } catch { try note(error, reference.digest) }
        return nil
    }

    /// Returns the length of an intact chunk; nil for a damaged or missing chunk.
    private mutating func length(of chunk: ChunkID) async throws -> Int? {
        if let known = good[chunk] { return known }
        if bad[chunk] != nil { return nil }
        do {
            let count = try await plainBytes(of: chunk, limit: ChunkFrame.maximumPlainLength).count
            good[chunk] = count
            return count
        } catch { try note(error, chunk) }
        return nil
    }

    private func plainBytes(of id: ChunkID, limit: Int) async throws -> [UInt8] {
        try await transfers.slots.withSlot(.background) { [transfers, container] in
            let frame = try await transfers.getChunk(id, in: container, about: limit)
            return try await transfers.pool.run { () throws(ChunkError) in
                try ChunkFrame.decode(frame, expecting: id, limit: limit)
            }
        }
    }

    private mutating func note(_ error: any Error, _ id: ChunkID) throws {
        switch error {
        case let error as CloudError where error.code == .damaged || error.code == .notFound: bad[id] = error.message
        // Also a chunk of a newer version: the check continues with the rest.
        case let error as ChunkError: bad[id] = error.message
        default: throw error
        }
    }
}
