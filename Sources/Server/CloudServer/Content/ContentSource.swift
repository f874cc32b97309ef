import Chunking
import CloudModel
import CloudProtocol
import ServerStorage

/// The bytes of one content, out of chunks that are checked against their names.
struct ContentSource: Sendable {
    let store: ServerStore
    let budget: MemoryBudget
    let account: AccountID
    let container: ContainerName
    let content: ContentReference

    static let absent = CloudFailure(.notFound, "The bytes of this version are not in the cloud any more.")
    private static let damaged = CloudFailure(
        .damaged, "The bytes of this version are damaged on the server. Devices that have them will send them again.")

    /// The chunks of the content. Throws ``absent`` where one of those that hold `range` is not there, before anything is sent.
    func manifest(covering range: Range<UInt64>? = nil) async throws -> Manifest {
        let manifest: Manifest
        if let known = Manifest(within: content) {
            manifest = known
        } else {
            guard content.layout == .manifest else { throw Self.damaged }
            let plain = try await plain(content.digest, length: nil)
            defer { budget.release(plain.ticket) }
            do { manifest = try Manifest(decoding: plain.bytes, size: content.size) } catch { throw Self.damaged }
        }
        let wanted = manifest.indices(covering: range ?? 0..<content.size)
        var rest = manifest.chunks[wanted]
        while !rest.isEmpty {
            let part = rest.prefix(CloudLimits.names)
            rest = rest.dropFirst(part.count)
            guard try await store.missing(part.map(\.id), in: container, of: account).isEmpty else { throw Self.absent }
        }
        return manifest
    }

    /// The bytes of a chunk, and the ticket of their place in memory, which whoever has them gives back.
    struct Plain: Sendable {
        let bytes: [UInt8]
        let ticket: UInt64
    }

    /// A chunk that the manifest names.
    func plain(_ chunk: ChunkEntry) async throws -> Plain { try await plain(chunk.id, length: chunk.length) }

    private func plain(_ id: ChunkID, length: Int?) async throws -> Plain {
        guard let place = try await store.place(of: id, in: container, of: account) else { throw Self.absent }
        // A manifest's length is not known before; it does not compress, so its frame tells.
        let ticket = try await budget.take(place.size + (length ?? place.size), of: account)
        do { return Plain(bytes: try await decode(id, place, length), ticket: ticket) } catch {
            budget.release(ticket)
            throw error
        }
    }

    private func decode(_ id: ChunkID, _ place: ChunkPlace, _ length: Int?) async throws -> [UInt8] {
        guard let frame = try await store.read(place, 0..<place.size) else { throw Self.absent }
        let plain = try await store.offPool { Result { try ChunkFrame.decode(frame, expecting: id) } }
        guard case .success(let bytes) = plain, length.map({ $0 == bytes.count }) ?? true else {
            // Devices that have it are asked for it again.
            try await store.distrust([id], in: container, of: account)
            throw Self.damaged
        }
        return bytes
    }
}
