import Sync
import Testing

@Suite("Cache limits")
struct CacheLimitsTests {
    private struct Counted: Error {}

    @Test("local bytes are not counted while there is no limit and enough free space")
    func uncounted() throws {
        let limits = CacheLimits(size: nil, minimumFree: 100)
        #expect(try limits.excess(present: { throw Counted() }(), free: 100) == 0)
        #expect(throws: Counted.self) { try limits.excess(present: { throw Counted() }(), free: 99) }
    }

    @Test("bytes over the limit, and those the disk lacks, are evicted, but never more than are local")
    func excess() {
        #expect(CacheLimits(size: 10, minimumFree: 0).excess(present: 25, free: 0) == 15)
        #expect(CacheLimits(size: 10, minimumFree: 0).excess(present: 9, free: 0) == 0)
        #expect(CacheLimits(size: nil, minimumFree: 50).excess(present: 100, free: 20) == 30)
        #expect(CacheLimits(size: 90, minimumFree: 50).excess(present: 100, free: 20) == 30)
        #expect(CacheLimits(size: nil, minimumFree: 500).excess(present: 100, free: 20) == 100)
    }

    @Test(
        "background downloads leave a tenth of the limit and a quarter of the free space, so that they are not evicted at once"
    )
    func spare() {
        let mega: UInt64 = 1 << 20
        #expect(CacheLimits(size: 100, minimumFree: 0).spare(present: 40, free: .max) == 50)
        #expect(CacheLimits(size: 100, minimumFree: 0).spare(present: 95, free: .max) == 0)
        #expect(CacheLimits(size: nil, minimumFree: 100 * mega).spare(present: 0, free: 130 * mega) == 5 * mega)
        #expect(CacheLimits(size: nil, minimumFree: 0).spare(present: 0, free: 80 * mega) == 0)
        #expect(CacheLimits(size: nil, minimumFree: .max).spare(present: 0, free: .max) == 0)
    }
}
