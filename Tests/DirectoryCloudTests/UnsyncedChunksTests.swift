import CloudModel
import CloudStorage
import Testing

@testable import DirectoryCloud

@Suite("Chunks that are not durable yet")
struct UnsyncedChunksTests {
    private func place(_ number: Int) throws -> ChunkPlace {
        let bytes = (0..<32).map { UInt8(truncatingIfNeeded: $0 < 8 ? number >> ($0 * 8) : 0) }
        return ChunkPlace(container: .cloudDocs, id: try #require(ChunkID(bytes)))
    }

    @Test("Chunks that were found and chunks that were written are both queued, each once, until they are taken")
    func waiting() throws {
        var chunks = UnsyncedChunks()
        chunks.wrote(try place(1))
        chunks.found(try place(1))
        chunks.found(try place(2))
        #expect(chunks.take() == [try place(1), try place(2)])
        #expect(chunks.take().isEmpty)
    }

    @Test("A lost chunk stays lost, however often it is found, until it is written")
    func lost() throws {
        var chunks = UnsyncedChunks()
        chunks.lose([try place(1)])
        chunks.found(try place(1))
        #expect(chunks.lost == [try place(1)])
        #expect(try !chunks.isTrusted(place(1)))
        chunks.wrote(try place(1))
        #expect(chunks.lost.isEmpty)
        #expect(try chunks.isTrusted(place(1)))
    }

    @Test("A restart allows appends again but trusts no lost chunk")
    func startAgain() throws {
        var chunks = UnsyncedChunks()
        chunks.lose([try place(1)])
        chunks.startAgain()
        #expect(chunks.lost.isEmpty)
        #expect(try !chunks.isTrusted(place(1)))
        chunks.wrote(try place(1))
        #expect(try chunks.isTrusted(place(1)))
    }

    @Test("No key of a corrupt chunk is trusted or waits, until the chunk is written under any of its keys")
    func corrupt() throws {
        var chunks = UnsyncedChunks()
        let one = try place(1)
        let newer = ChunkPlace(container: .cloudDocs, key: ChunkKey(one.key.id, epoch: 3))
        for place in [one, newer, try place(2)] { chunks.found(place) }
        chunks.distrust(newer)
        #expect(!chunks.isTrusted(one) && !chunks.isTrusted(newer))
        #expect(chunks.waiting == [try place(2)])
        chunks.wrote(newer)
        #expect(chunks.isTrusted(one) && chunks.isTrusted(newer))
    }

    @Test("A chunk that was removed is not waited for, and does not block an append")
    func removed() throws {
        var chunks = UnsyncedChunks()
        chunks.found(try place(1))
        chunks.removed(try place(1))
        chunks.lose([try place(2)])
        chunks.removed(try place(2))
        #expect(chunks.waiting.isEmpty && chunks.lost.isEmpty)
    }

    @Test("The number of chunks is bounded")
    func bounded() throws {
        var chunks = UnsyncedChunks()
        for number in 0..<UnsyncedChunks.limit {
            #expect(!chunks.isFull)
            chunks.found(try place(number))
        }
        #expect(chunks.isFull)
    }
}
