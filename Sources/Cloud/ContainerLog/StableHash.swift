/// A 128-bit hash, stable across devices and releases (`Hasher` is not). It distinguishes values but is not
/// collision-resistant against an attacker.
struct StableHash {
    private var first: UInt64
    private var second: UInt64

    /// Creates a hash. `purpose` keeps hashes of different kinds distinct.
    init(purpose: UInt64) {
        first = 0x9E37_79B9_7F4A_7C15 ^ purpose
        second = 0xC2B2_AE3D_27D4_EB4F &+ purpose
    }

    mutating func combine(_ word: UInt64) {
        first = Self.mix(first ^ word)
        second = Self.mix(second &+ word &* 0xFF51_AFD7_ED55_8CCD)
    }

    /// Includes the count, so that neighbouring fields cannot run into each other.
    mutating func combine(_ bytes: some Collection<UInt8>) {
        combine(UInt64(bytes.count))
        var word: UInt64 = 0
        var filled = 0
        for byte in bytes {
            word = word << 8 | UInt64(byte)
            filled += 1
            if filled == 8 {
                combine(word)
                (word, filled) = (0, 0)
            }
        }
        if filled > 0 { combine(word) }
    }

    var value: (high: UInt64, low: UInt64) { (Self.mix(first &+ second), Self.mix(second ^ first &<< 1)) }

    /// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): each input bit flips half of the output bits.
    private static func mix(_ value: UInt64) -> UInt64 {
        var word = value &+ 0x9E37_79B9_7F4A_7C15
        word = (word ^ word &>> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word &>> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word &>> 31
    }
}
