/// Percent-encoding of bytes in URLs and forms (RFC 3986, 2.1).
package enum PercentCoding {
    /// A decoder's treatment of a `%` not followed by two hexadecimal digits.
    package enum BrokenEscape: Sendable {
        /// The text is refused, as RFC 3986 specifies.
        case refused
        /// The `%` stands for itself, as the URL Standard specifies for forms.
        case literal
    }

    /// Encodes all bytes as `%4A`, except those for which `isPlain` returns true, which must be ASCII and stay
    /// unchanged.
    package static func encode(
        _ bytes: some Sequence<UInt8>, uppercase: Bool = true, isPlain: (UInt8) -> Bool
    ) -> String {
        var text: [UInt8] = []
        for byte in bytes {
            if isPlain(byte) {
                text.append(byte)
            } else {
                let digits = Hex.encode(byte)
                text.append(UInt8(ascii: "%"))
                text.append(contentsOf: (uppercase ? digits.uppercased() : digits).utf8)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// - Returns: nil if an escape is broken and `brokenEscape` refuses it.
    package static func decode(
        _ text: some Collection<UInt8>, brokenEscape: BrokenEscape = .refused, plusIsSpace: Bool = false
    ) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                if let high = rest.first, let low = rest.dropFirst().first, let value = Hex.byte(high, low) {
                    bytes.append(value)
                    rest = rest.dropFirst(2)
                } else if brokenEscape == .literal {
                    bytes.append(byte)
                } else {
                    return nil
                }
            default: bytes.append(byte)
            }
        }
        return bytes
    }
}
