import Basics
import CloudModel
import CloudStorage
import Testing

@Suite("Lists of keys that a collection may remove")
struct CollectionListTests {
    private func key(_ number: UInt64, _ epoch: UInt64 = 0) -> ChunkKey {
        ChunkKey(Digest(words: (number, 1, 2, 3)), epoch: epoch)
    }

    @Test("A list comes back as it was, sorted and each key once")
    func roundTrip() throws {
        let keys = [key(9), key(1, 3), key(1), key(1, 200), key(9)]
        let list = try #require(CollectionList(keys))
        #expect(list.keys == [key(1), key(1, 3), key(1, 200), key(9)])
        let again = try CollectionList(decoding: list.encoded(), of: 201)
        #expect(again == list)
        let none = try #require(CollectionList([]))
        let empty = try CollectionList(decoding: none.encoded(), of: 1)
        #expect(empty.keys.isEmpty)
    }

    @Test("These are the bytes of a list")
    func pinned() throws {
        let list = try #require(CollectionList([key(1, 300)]))
        #expect(list.encoded() == [1] + key(1).id.bytes + [0xAC, 2])
    }

    @Test("A list contains exactly its keys")
    func contains() throws {
        let list = try #require(CollectionList((0..<500).map { key($0 * 3, $0 % 4) }))
        for number in UInt64(0)..<1_500 {
            for epoch in UInt64(0)..<5 {
                let isListed = list.contains(key(number, epoch))
                #expect(isListed == (number % 3 == 0 && number / 3 % 4 == epoch))
            }
        }
    }

    @Test("A key that no collection of the epoch may remove, keys out of order, and other formats are errors")
    func damage() throws {
        let one = try #require(CollectionList([key(1, 4)])).encoded()
        #expect(throws: ByteCodingError.self) { try CollectionList(decoding: one, of: 4) }
        #expect(throws: Never.self) { try CollectionList(decoding: one, of: 5) }
        #expect(throws: ByteCodingError.self) { try CollectionList(decoding: one + one.dropFirst(), of: 5) }
        let later = try #require(CollectionList([key(2)])).encoded()
        #expect(throws: ByteCodingError.self) { try CollectionList(decoding: later + one.dropFirst(), of: 5) }
        #expect(throws: ByteCodingError.self) { try CollectionList(decoding: [2], of: 5) }
        #expect(throws: ByteCodingError.self) { try CollectionList(decoding: [UInt8](), of: 5) }
        #expect(throws: ByteCodingError.self) { try CollectionList(decoding: one.dropLast(), of: 5) }
    }

    @Test("Any bytes end in a list that can be written again, or in an error")
    func hostile() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SplitMix(state: seed)
        let good = try #require(CollectionList((0..<20).map { key($0, $0 % 3) })).encoded()
        for round in 0..<10_000 {
            var bytes = good
            for _ in 0...random.next() % 4 {
                bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(random.next() % 256)
            }
            if random.next() % 5 == 0 { bytes.removeLast(Int(random.next() % UInt64(bytes.count))) }
            guard let list = try? CollectionList(decoding: bytes, of: 3) else { continue }
            let again = try? CollectionList(decoding: list.encoded(), of: 3)
            if again != list || list.keys.contains(where: { $0.epoch >= 3 }) {
                Issue.record("seed \(seed), round \(round)")
            }
        }
    }
}

private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
