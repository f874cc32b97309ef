/// The Castagnoli CRC, as in iSCSI (RFC 3720, appendix B.4) and ext4.
package enum CRC32C {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0x82F6_3B78 : value >> 1 }
    }

    /// Returns the checksum of concatenated parts.
    package static func checksum(_ parts: [UInt8]...) -> UInt32 {
        let table = table
        var value = UInt32.max
        for part in parts {
            for byte in part { value = value >> 8 ^ table[Int(UInt8(truncatingIfNeeded: value) ^ byte)] }
        }
        return ~value
    }
}
