import CloudModel
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
