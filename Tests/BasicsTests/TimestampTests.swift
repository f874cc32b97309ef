import Basics
import Glibc
import Testing

@Suite("Times and numbers from untrusted input")
struct TimestampTests {
    private static let extremes: [Int64] = [
        .min, .min + 1, .min + 145_224_192, -1_000_000_001, -1_000_000_000, -999_999_999, -1, 0, 1, 999_999_999,
        1_000_000_000,
        .max - 1, .max,
    ]

    @Test("every time is split into seconds and nanoseconds and joined again without a change", arguments: extremes)
    func splitting(nanoseconds: Int64) {
        let time = Timestamp(nanoseconds: nanoseconds)
        #expect((0..<1_000_000_000).contains(time.split.nanoseconds))
        #expect(Timestamp(seconds: time.split.seconds, nanoseconds: time.split.nanoseconds) == time)
        #expect(Timestamp(time.timespec) == time)
    }

    @Test(
        "seconds out of range become the earliest or the latest time",
        arguments: [(Int64.min, Int64.min), (-1 << 40, .min), (1 << 40, .max), (.max, .max)])
    func saturating(seconds: Int64, nanoseconds: Int64) {
        for part in [Int64.min, -1, 0, 999_999_999, .max] {
            #expect(Timestamp(seconds: seconds, nanoseconds: part).nanoseconds == nanoseconds)
        }
        #expect(Timestamp(timespec(tv_sec: Int(seconds), tv_nsec: 999_999_999)).nanoseconds == nanoseconds)
    }

    @Test("sums are clamped to the earliest and the latest time; differences are exact")
    func arithmetic() {
        let (first, last) = (Timestamp(nanoseconds: .min), Timestamp(nanoseconds: .max))
        #expect(first.adding(.nanoseconds(-1)) == first && last.adding(.seconds(Int64.max)) == last)
        #expect(last.adding(.seconds(Int64.min)) == first && first.adding(.zero) == first)
        #expect(Timestamp.zero.adding(.milliseconds(-1)).nanoseconds == -1_000_000)
        for one in Self.extremes {
            for other in Self.extremes {
                let (one, other) = (Timestamp(nanoseconds: one), Timestamp(nanoseconds: other))
                #expect(other.adding(one.duration(since: other)) == one)
            }
        }
    }

    @Test("saturating sums, products and conversions are clamped to the nearest value")
    func saturation() {
        #expect(UInt64.max.saturatingSum(1) == .max && Int64.min.saturatingSum(-1) == .min && 2.saturatingSum(3) == 5)
        #expect(Int64.max.saturatingProduct(-2) == .min && Int64.min.saturatingProduct(-1) == .max)
        #expect(UInt64.max.saturatingProduct(4096) == .max && 6.saturatingProduct(7) == 42)
        let values: [(Double, Int64)] = [
            (.nan, 0), (.infinity, .max), (-.infinity, .min), (1e300, .max), (-1e300, .min), (-1.9, -1), (2.9, 2),
            (0x1p63, .max), (-0x1p63, .min),
        ]
        for (value, expected) in values { #expect(Int64(clamping: value) == expected, "\(value)") }
        #expect(UInt8(clamping: -5.0) == 0 && UInt8(clamping: 300.0) == 255)
    }

    @Test("a range of bytes is rejected unless its beginning and its end are possible in a file")
    func ranges() {
        #expect(Range(offset: 5, count: 0) == 5..<5 && Range(offset: 0, count: 7) == 0..<7)
        #expect(Range(offset: .max, count: 0) == UInt64(Int64.max)..<UInt64(Int64.max))
        for (offset, count) in [(-1, 1), (.min, 0), (.max, 1), (1, .max), (0, -1), (.max, .max)] as [(Int64, Int)] {
            #expect(Range(offset: offset, count: count) == nil, "\(offset), \(count)")
        }
    }
}
