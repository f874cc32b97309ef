import TestSupport
import Testing

@testable import Transfers

@Suite struct PresenceBitmapTests {
    @Test("Counting and searching agree with a plain set, over all ranges", arguments: [1, 63, 64, 65, 130] as [Int])
    func model(count: Int) {
        var random = SeededGenerator(seed: UInt64(count))
        var bitmap = PresenceBitmap(count: count)
        var model: Set<Int> = []
        for _ in 0..<count {
            let index = Int.random(in: 0..<count, using: &random)
            let isNew = bitmap.insert(index)
            #expect(isNew == model.insert(index).inserted)
        }
        #expect(bitmap.presentCount == model.count)
        for start in 0...count {
            for end in start...count {
                let absent = (start..<end).filter { !model.contains($0) }
                #expect(bitmap.firstAbsent(in: start..<end) == absent.first)
                #expect(bitmap.absentCount(in: start..<end) == absent.count)
            }
        }
        #expect(PresenceBitmap(bytes: bitmap.bytes, count: count) == bitmap)
    }

    @Test("A bitmap of a wrong length, or with bits past the end, is rejected")
    func foreignBytes() {
        #expect(PresenceBitmap(bytes: [0xFF], count: 9) == nil)
        #expect(PresenceBitmap(bytes: [0xFF, 0x02], count: 9) == nil)
        #expect(PresenceBitmap(bytes: [0xFF, 0x01], count: 9)?.isFull == true)
        #expect(PresenceBitmap(bytes: [], count: 0)?.isFull == true)
    }
}
