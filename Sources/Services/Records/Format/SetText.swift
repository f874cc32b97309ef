/// The text of a column declared as a set: a JSON array of texts and whole numbers, such as `["blue","red",7]`.
///
/// The reader accepts any order, repetitions and white space; ``text(of:)`` writes the members once, in their order.
package enum SetText {
    static func canHold(_ value: RecordValue) -> Bool {
        switch value {
        case .integer: true
        case .text(let bytes): String(validating: bytes, as: UTF8.self) != nil
        case .null, .real, .blob: false
        }
    }

    /// Returns the members of a column's set; nil if the value is not a set. NULL and an empty text are the empty set.
    package static func members(of value: RecordValue) -> Set<RecordValue>? {
        switch value {
        case .null: return []
        case .text(let bytes):
            var scanner = Scanner(bytes: bytes[...])
            return scanner.array()
        case .integer, .real, .blob: return nil
        }
    }

    package static func text(of members: Set<RecordValue>) -> RecordValue {
        var text: [UInt8] = [UInt8(ascii: "[")]
        for (place, member) in members.sorted().enumerated() {
            if place > 0 { text.append(UInt8(ascii: ",")) }
            if case .integer(let number) = member { text += "\(number)".utf8 }
            if case .text(let bytes) = member { append(bytes, to: &text) }
        }
        return .text(text + [UInt8(ascii: "]")])
    }

    private static func append(_ bytes: [UInt8], to text: inout [UInt8]) {
        text.append(UInt8(ascii: "\""))
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += [UInt8(ascii: "\\"), byte]
            case 0..<32:
                let digits = String(byte, radix: 16)
                text += "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8
            default: text.append(byte)
            }
        }
        text.append(UInt8(ascii: "\""))
    }
}

/// Reads JSON arrays of texts and whole numbers (RFC 8259).
private struct Scanner {
    var bytes: ArraySlice<UInt8>

    mutating func array() -> Set<RecordValue>? {
        skipSpace()
        if bytes.isEmpty { return [] }
        guard take("[") else { return nil }
        var members: Set<RecordValue> = []
        skipSpace()
        if !take("]") {
            repeat {
                skipSpace()
                guard let member = member() else { return nil }
                members.insert(member)
                skipSpace()
            } while take(",")
            guard take("]") else { return nil }
        }
        skipSpace()
        return bytes.isEmpty ? members : nil
    }

    private mutating func member() -> RecordValue? {
        if take("\"") { return text() }
        let digits = bytes.prefix { $0 == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard digits.count <= 20, let number = Int64(String(decoding: digits, as: UTF8.self)),
            "\(number)".utf8.elementsEqual(digits)
        else { return nil }
        bytes = bytes[digits.endIndex...]
        return .integer(number)
    }

    private mutating func text() -> RecordValue? {
        var text: [UInt8] = []
        while let byte = bytes.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self) == nil ? nil : .text(text)
            case UInt8(ascii: "\\"):
                guard let escaped = escape() else { return nil }
                text += escaped
            case 0..<32: return nil
            default: text.append(byte)
            }
        }
        return nil
    }

    private mutating func escape() -> [UInt8]? {
        guard let byte = bytes.popFirst() else { return nil }
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [8]
        case UInt8(ascii: "f"): return [12]
        case UInt8(ascii: "n"): return [10]
        case UInt8(ascii: "r"): return [13]
        case UInt8(ascii: "t"): return [9]
        case UInt8(ascii: "u"): return unicode()
        default: return nil
        }
    }

    private mutating func unicode() -> [UInt8]? {
        guard let first = unit() else { return nil }
        var units = [first]
        if UTF16.isLeadSurrogate(first) {
            guard take("\\"), take("u"), let second = unit(), UTF16.isTrailSurrogate(second) else { return nil }
            units.append(second)
        }
        return String(validating: units, as: UTF16.self).map { Array($0.utf8) }
    }

    private mutating func unit() -> UInt16? {
        let digits = bytes.prefix(4)
        guard digits.count == 4, !digits.contains(where: { [UInt8(ascii: "+"), UInt8(ascii: "-")].contains($0) }) else {
            return nil
        }
        bytes = bytes.dropFirst(4)
        return UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard bytes.first == UInt8(ascii: character) else { return false }
        bytes.removeFirst()
        return true
    }

    private mutating func skipSpace() { bytes = bytes.drop { [9, 10, 13, 32].contains($0) } }
}
