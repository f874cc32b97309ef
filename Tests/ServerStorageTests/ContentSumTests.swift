import Chunking
import CloudModel
import Foundation
import TestSupport
import Testing

@testable import ServerStorage

@Suite("The sum of contents")
struct ContentSumTests {
    private func contents(_ random: inout SeededGenerator) -> [(content: ContentReference, time: Int64)] {
        (0..<20).map { _ in
            let content = ContentReference(
                digest: .of(random.bytes(8)), size: UInt64(random.number(0..<1_000)),
                layout: random.chance(50) ? .chunk : .manifest)
            return (content, Int64(random.number(0..<1_000)))
        }
    }

    @Test("does not depend on the order, and what is removed leaves no trace; its bytes decode")
    func group() throws {
        var random = SeededGenerator(seed: 1)
        let all = contents(&random)
        var (forward, backward) = (ContentSum(), ContentSum())
        for (content, time) in all { forward.add(content, at: time) }
        for (content, time) in all.reversed() { backward.add(content, at: time) }
        #expect(forward == backward && forward != ContentSum())
        #expect(ContentSum(forward.data) == forward)
        for (content, time) in all.shuffled(using: &random) { forward.remove(content, at: time) }
        #expect(forward == ContentSum())
        #expect(ContentSum(Data(count: 15)) == nil)
    }

    @Test("differs where one bit of a digest, a size, a layout or a time differs, and where times are swapped")
    func sensitive() {
        var random = SeededGenerator(seed: 2)
        let (content, time) = contents(&random)[0]
        func sum(_ content: ContentReference, _ time: Int64) -> ContentSum {
            var sum = ContentSum()
            sum.add(content, at: time)
            return sum
        }
        var sums: Set<ContentSum> = [sum(content, time)]
        for bit in 0..<256 {
            var bytes = content.digest.bytes
            bytes[bit / 8] ^= 1 << (bit % 8)
            guard let digest = Digest(bytes) else { continue }
            sums.insert(sum(ContentReference(digest: digest, size: content.size, layout: content.layout), time))
        }
        for bit in 0..<63 {
            let size = content.size ^ 1 << UInt64(bit)
            sums.insert(sum(ContentReference(digest: content.digest, size: size, layout: content.layout), time))
            sums.insert(sum(content, time ^ 1 << Int64(bit)))
        }
        let other: ContentReference.Layout = content.layout == .chunk ? .manifest : .chunk
        sums.insert(sum(ContentReference(digest: content.digest, size: content.size, layout: other), time))
        #expect(sums.count == 1 + 256 + 126 + 1)
        let (second, later) = contents(&random)[1]
        var (kept, swapped) = (sum(content, time), sum(content, later))
        kept.add(second, at: later)
        swapped.add(second, at: time)
        #expect(kept != swapped)
    }
}
