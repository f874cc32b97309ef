import CloudModel
import CloudProtocol
import CloudStorage
import HTTPCloud
import ServerStorage
import ServerSupport
import TestSupport
import Testing

@Suite("Many chunks in one request", .timeLimit(.minutes(10)))
struct ManyChunksTests {
    private func chunk(_ number: UInt64, _ count: Int) -> OutgoingChunk {
        OutgoingChunk(
            id: ChunkID(words: (number << 56, number, 0, 0)), frame: [UInt8](repeating: UInt8(number), count: count))
    }

    @Test("chunks that exceed one request are split over several, and all are stored")
    func split() async throws {
        try await withServer { server in
            let device = try await server.device()
            let chunks = (UInt64(1)...6).map { chunk($0, 5 << 20) } + (UInt64(7)...50).map { chunk($0, 10) }
            try await device.putChunks(chunks, in: .cloudDocs)
            #expect(try await device.missing(chunks.map(\.id), in: .cloudDocs).isEmpty)
            for chunk in chunks {
                let found = try await device.getChunk(chunk.id, in: .cloudDocs)
                #expect(found == chunk.frame)
            }
        }
    }

    @Test("if not all chunks fit into the quota those that fit are stored, and the others fail with quota")
    func quota() async throws {
        try await withServer { server in
            try await server.store.accounts.add("anna", quota: 10_000)
            let device = try await server.device()
            let chunks = (UInt64(1)...3).map { chunk($0, 40) }
            await expectCloudError(.quota) { try await device.putChunks(chunks, in: .cloudDocs) }
            #expect(try await device.missing(chunks.map(\.id), in: .cloudDocs).count == 1)
        }
    }
}
