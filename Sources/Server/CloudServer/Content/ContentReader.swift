import Chunking
import CloudModel
import CloudProtocol
import ServerStorage

/// Reads a content's bytes from chunks, and checks each chunk against its name. Only the next part of a chunk list is
/// in memory.
struct ContentReader: Sendable {
    let store: ServerStore
    let budget: MemoryBudget
    let account: AccountID
    let container: ContainerName
    let content: ContentReference

    static let absent = CloudFailure(.notFound, "The bytes of this version are no longer in the cloud.")
    private static let damaged = CloudFailure(
        .damaged, "The bytes of this version are damaged on the server. Devices that have them will upload them again.")

    /// Consecutive chunks, and their starting offset in the content.
    struct Part: Sendable {
        let offset: UInt64
        let chunks: ArraySlice<ChunkEntry>
    }

    /// Returns the chunks that hold `range`, from its first byte on, limited to a single read of the list. Throws
    /// ``absent`` if any of these is missing.
    func part(covering range: Range<UInt64>) async throws -> Part {
        let part = trimmed(try await whole(holding: range.lowerBound), to: range)
        let missing = try await store.chunks.missing(part.chunks.map(\.id), in: container, of: account)
        guard missing.isEmpty else { throw Self.absent }
        return part
    }

    private func whole(holding position: UInt64) async throws -> Part {
        if let known = Manifest(within: content) { return Part(offset: 0, chunks: known.chunks[...]) }
        guard content.layout == .manifest else { throw Self.damaged }
        let found = try await store.chunks.manifestPart(holding: position, of: content, in: container, account)
        guard let found else {
            guard try await store.chunks.place(of: content.digest, in: container, of: account) != nil else {
                throw Self.absent
            }
            throw Self.damaged
        }
        return Part(offset: found.offset, chunks: found.chunks[...])
    }

    private func trimmed(_ part: Part, to range: Range<UInt64>) -> Part {
        guard !range.isEmpty else { return Part(offset: range.lowerBound, chunks: []) }
        var offset = part.offset
        var first = part.chunks.startIndex
        while first < part.chunks.endIndex, offset + UInt64(part.chunks[first].length) <= range.lowerBound {
            offset += UInt64(part.chunks[first].length)
            first += 1
        }
        var (last, end) = (first, offset)
        while last < part.chunks.endIndex, end < range.upperBound {
            end += UInt64(part.chunks[last].length)
            last += 1
        }
        return Part(offset: offset, chunks: part.chunks[first..<last])
    }

    /// A chunk's bytes, and the ticket of their reserved memory, which the caller releases.
    struct Plain: Sendable {
        let bytes: [UInt8]
        let ticket: UInt64
    }

    /// Reads a chunk named by the manifest.
    func plain(_ chunk: ChunkEntry) async throws -> Plain {
        guard let place = try await store.chunks.place(of: chunk.id, in: container, of: account) else {
            throw Self.absent
        }
        let ticket = try await budget.take(place.size + chunk.length, of: account)
        do { return Plain(bytes: try await decode(chunk, place), ticket: ticket) } catch {
            budget.release(ticket)
            throw error
        }
    }

    private func decode(_ chunk: ChunkEntry, _ place: ChunkPlace) async throws -> [UInt8] {
        guard let frame = try await store.chunks.read(place, 0..<place.size) else { throw Self.absent }
        // A frame claiming more bytes than the chunk has is refused before decompression: only that much memory is
        // reserved.
        let plain = try await store.offPool {
            Result { try ChunkFrame.decode(frame, expecting: chunk.id, limit: chunk.length) }
        }
        guard case .success(let bytes) = plain, bytes.count == chunk.length else {
            // Devices that have the chunk are asked to send it again, unless only its length differs from the entry.
            let part = ChunkBatch.Part(id: chunk.id, frame: frame)
            try await store.chunks.distrust(ifWrong: part, in: container, of: account)
            throw Self.damaged
        }
        return bytes
    }
}
