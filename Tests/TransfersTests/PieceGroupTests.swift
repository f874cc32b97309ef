import Chunking
import CloudModel
import TestSupport
import Testing

@testable import Transfers

@Suite("Grouping of pieces into requests")
struct PieceGroupTests {
    @Test("each piece is sent once, large ones and manifests alone, groups within their limits")
    func bounds() {
        let seed = UInt64.random(in: 0 ... .max)
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let pieces = (0..<2_000).map { number in
            let length = random.chance(10) ? 0 : random.number(1..<(random.chance(20) ? 1 << 20 : 8_000))
            return UploadPiece(
                entry: ChunkEntry(id: ChunkID(words: (UInt64(number), 0, 0, 0)), length: length),
                sources: [.file(item: number, offset: 0)])
        }
        #expect(PieceGroups(pieces, together: false).groups.allSatisfy { $0.count == 1 })
        let groups = PieceGroups(pieces, together: true).groups
        #expect(Set(groups.joined().map(\.entry.id)) == Set(pieces.map(\.entry.id)))
        #expect(groups.joined().count == pieces.count)
        for group in groups where group.count > 1 {
            #expect(group.count <= PieceGroups.groupPieces)
            #expect(group.allSatisfy { (1...PieceGroups.smallBytes).contains($0.entry.length) })
            #expect(group.reduce(0) { $0 + $1.entry.length } <= PieceGroups.groupBytes)
        }
        #expect(groups.count < pieces.count / 2)
    }
}
