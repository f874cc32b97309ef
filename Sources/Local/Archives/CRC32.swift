import Foundation

/// The CRC-32 of ISO 3309, which zip uses.
struct CRC32 {
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { sum, _ in sum & 1 == 1 ? 0xEDB8_8320 ^ (sum >> 1) : sum >> 1 }
    }

    private var state = UInt32.max
    var value: UInt32 { ~state }

    mutating func add(_ data: Data) {
        for byte in data { state = Self.table[Int(truncatingIfNeeded: (state ^ UInt32(byte)) & 0xFF)] ^ (state >> 8) }
    }
}
