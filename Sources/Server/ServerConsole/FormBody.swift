/// The fields of a form as a browser posts it (`application/x-www-form-urlencoded`, URL Standard 5.1). Total on any bytes.
package struct FormBody: Hashable, Sendable {
    private var fields: [String: String] = [:]

    package init(decoding bytes: [UInt8]) {
        for pair in bytes.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = Self.text(parts[0])
            // The first of several fields of one name counts.
            if fields[name] == nil { fields[name] = parts.count > 1 ? Self.text(parts[1]) : "" }
        }
    }

    package subscript(_ name: String) -> String? { fields[name] }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            switch bytes[index] {
            case UInt8(ascii: "+"): result.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let byte = hexadecimal(bytes[(index + 1)...].prefix(2)) else { fallthrough }
                result.append(byte)
                index += 2
            default: result.append(bytes[index])
            }
            index += 1
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func hexadecimal(_ digits: ArraySlice<UInt8>) -> UInt8? {
        let isDigits = digits.count == 2 && digits.allSatisfy { UInt8(hexadecimalDigit: $0) != nil }
        return isDigits ? digits.reduce(0) { $0 << 4 | (UInt8(hexadecimalDigit: $1) ?? 0) } : nil
    }
}

extension UInt8 {
    fileprivate init?(hexadecimalDigit digit: UInt8) {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self = digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self = digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self = digit - UInt8(ascii: "A") + 10
        default: return nil
        }
    }
}
