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
    }

    private let transfers: TransferContext
    private let container: ContainerName
    private var good: Set<ChunkID> = []
    private var bad: [ChunkID: String] = [:]

    init(_ transfers: TransferContext, _ container: ContainerName) {
        self.transfers = transfers
        self.container = container
    }

    /// Returns the chunks of this content that are damaged or missing; empty when the content is intact. Throws an error that prevents
    /// reading the cloud at all.
    mutating func badChunks(of reference: ContentReference) async throws -> [BadChunk] {
        guard reference.layout != .empty else { return [] }
        guard let manifest = try await manifest(of: reference) else {
            return [BadChunk(id: reference.digest, why: bad[reference.digest] ?? "it is damaged")]
        }
        var found: [BadChunk] = []
        for chunk in manifest.chunks {
            if try await isGood(chunk) { continue }
            found.append(BadChunk(id: chunk.id, why: bad[chunk.id] ?? "it is damaged"))
        }
        return found
    }

    /// Forgets chunks that were uploaded again, so that the next check reads them.
    mutating func forget(_ chunks: [BadChunk]) { for chunk in chunks { bad[chunk.id] = nil } }

    private mutating func manifest(of reference: ContentReference) async throws -> Manifest? {
        if let manifest = Manifest(within: reference) { return manifest }
        do {
            let plain = try await plainBytes(of: reference.digest, limit: ChunkFrame.maximumPlainLength)
            return try Manifest(decoding: plain, size: reference.size)
        } catch { try note(error, reference.digest) }
        return nil
    }

    private mutating func isGood(_ chunk: ChunkEntry) async throws -> Bool {
        if good.contains(chunk.id) { return true }
        if bad[chunk.id] != nil { return false }
        do {
            let count = try await plainBytes(of: chunk.id, limit: chunk.length).count
            guard count == chunk.length else {
                throw ChunkError(.damaged, "It has \(count) bytes instead of \(chunk.length).")
            }
            good.insert(chunk.id)
            return true
        } catch { try note(error, chunk.id) }
        return false
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
        case let error as ChunkError where error.code != .tooNew: bad[id] = error.message
        default: throw error
        }
    }
}
