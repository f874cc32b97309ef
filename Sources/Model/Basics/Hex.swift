/// Encodes bytes as hexadecimal text (RFC 4648, 8), two digits each, and decodes them.
package enum Hex {
    /// Returns lower-case digits.
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.underestimatedCount * 2)
        for byte in bytes {
            text.append(digit(byte >> 4))
            text.append(digit(byte & 15))
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns all sixteen lower-case digits of a number.
    package static func encode(_ value: UInt64) -> String {
        String(unsafeUninitializedCapacity: 16) { buffer in
            for index in 0..<16 { buffer[index] = digit(UInt8(truncatingIfNeeded: value >> (60 - 4 * index)) & 15) }
            return 16
        }
    }

    /// Returns two lower-case digits.
    package static func encode(_ byte: UInt8) -> String {
        String(unsafeUninitializedCapacity: 2) { buffer in
            buffer[0] = digit(byte >> 4)
            buffer[1] = digit(byte & 15)
            return 2
        }
    }

    /// - Returns: nil for an odd number of digits, or if a character is not a digit. Both cases are accepted.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        var digits = text.utf8.makeIterator()
        while let first = digits.next() {
            guard let second = digits.next(), let byte = byte(first, second) else { return nil }
            bytes.append(byte)
        }
        return bytes
    }

    /// Returns the byte of two ASCII digits; nil if either is not a digit.
    package static func byte(_ high: UInt8, _ low: UInt8) -> UInt8? {
        guard let high = value(of: high), let low = value(of: low) else { return nil }
        return high << 4 | low
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
    }

    private static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
