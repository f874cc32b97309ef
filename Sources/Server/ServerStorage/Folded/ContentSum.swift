import CloudModel
import Foundation

/// A 128-bit sum over contents, kept up to date as contents come and go.
///
/// A reader of all rows compares their sum with the stored sum, and notices any missing or corrupt row. The sum does
/// not protect against an attacker.
struct ContentSum: Hashable, Sendable {
    private(set) var high: UInt64 = 0
    private(set) var low: UInt64 = 0

    init() {}

    /// Decodes the result of ``data``; nil for a different number of bytes.
    init?(_ data: Data) {
        guard data.count == 16 else { return nil }
        func word(_ bytes: Data.SubSequence) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        high = word(data.prefix(8))
        low = word(data.suffix(8))
    }

    var data: Data {
        var data = Data(capacity: 16)
        for word in [high, low] { withUnsafeBytes(of: word.bigEndian) { data.append(contentsOf: $0) } }
        return data
    }

    /// - Parameter time: The time stored with the content, if any.
    mutating func add(_ content: ContentReference, at time: Int64 = 0) {
        let term = Self.term(content, time)
        high &+= term.0
        low &+= term.1
    }

    mutating func remove(_ content: ContentReference, at time: Int64 = 0) {
        let term = Self.term(content, time)
        high &-= term.0
        low &-= term.1
    }

    /// Returns two numbers that depend on every bit of the content and of the time.
    private static func term(_ content: ContentReference, _ time: Int64) -> (UInt64, UInt64) {
        let words = content.digest.words
        let rest = mixed(mixed(content.size ^ UInt64(content.layout.rawValue) << 56) ^ UInt64(bitPattern: time))
        return (mixed(mixed(words.0 &+ rest) ^ words.2), mixed(mixed(words.1 &+ rest) ^ words.3))
    }

    /// The finalizer of MurmurHash3, a bijection.
    private static func mixed(_ value: UInt64) -> UInt64 {
        var value = value
        value = (value ^ value >> 33) &* 0xff51_afd7_ed55_8ccd
        value = (value ^ value >> 33) &* 0xc4ce_b9fe_1a85_ec53
        return value ^ value >> 33
    }
}
