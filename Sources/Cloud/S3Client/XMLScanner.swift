import Basics

/// Scans object stores' small XML documents, token by token. Pure; takes time proportional to the number of bytes.
///
/// It accepts less than XML: UTF-8 only, no document types, no CDATA, no entities except the five of XML 1.0 and
/// numeric ones. It skips attributes and drops prefixes of names.
struct XMLScanner {
    enum Token: Hashable {
        case start(String)
        /// The characters up to the next tag; never empty.
        case text(String)
        case end(String)
    }

    private var rest: ArraySlice<UInt8>
    /// The pending end of an element without content, from its single tag.
    private var pendingEnd: String?

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// - Returns: Nil at the end of the bytes.
    mutating func next() throws(XMLError) -> Token? {
        if let name = pendingEnd {
            pendingEnd = nil
            return .end(name)
        }
        while let byte = rest.first {
            if byte != Self.less { return .text(try text()) }
            if skip("<?") {
                try skip(past: "?>")
            } else if skip("<!--") {
                try skip(past: "-->")
            } else {
                return try tag()
            }
        }
        return nil
    }

    private static let less = UInt8(ascii: "<")
    private static let greater = UInt8(ascii: ">")
    private static let slash = UInt8(ascii: "/")

    private mutating func tag() throws(XMLError) -> Token {
        rest.removeFirst()
        let isEnd = skip("/")
        let name = try name()
        skipSpace()
        if isEnd {
            guard skip(">") else { throw .malformed }
            return .end(name)
        }
        while let byte = rest.first {
            if skip(">") { return .start(name) }
            if byte == Self.slash {
                guard skip("/>") else { throw .malformed }
                pendingEnd = name
                return .start(name)
            }
            try skipAttribute()
            skipSpace()
        }
        throw .malformed
    }

    /// Reads a name and drops its prefix.
    private mutating func name() throws(XMLError) -> String {
        let bytes = rest.prefix { Self.isNameByte($0) }
        rest = rest.dropFirst(bytes.count)
        let local = bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).last ?? []
        guard let first = local.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first), local.count <= 64
        else {
            throw .malformed
        }
        return String(decoding: local, as: UTF8.self)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: ":"):
            true
        default: false
        }
    }

    private mutating func skipAttribute() throws(XMLError) {
        _ = try name()
        skipSpace()
        guard skip("=") else { throw .malformed }
        skipSpace()
        guard let quote = rest.popFirst(), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
            let end = rest.firstIndex(of: quote)
        else { throw .malformed }
        rest = rest[(end + 1)...]
    }

    private mutating func text() throws(XMLError) -> String {
        var bytes: [UInt8] = []
        while let byte = rest.first, byte != Self.less {
            rest.removeFirst()
            if byte == UInt8(ascii: "&") { bytes.append(contentsOf: try entity()) } else { bytes.append(byte) }
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .malformed }
        return text
    }

    /// Reads an entity after its `&`.
    private mutating func entity() throws(XMLError) -> [UInt8] {
        // The longest entity is a number: `#x10FFFF`, with some leading zeros.
        guard let end = rest.prefix(16).firstIndex(of: UInt8(ascii: ";")) else { throw .malformed }
        let name = String(decoding: rest[..<end], as: UTF8.self)
        rest = rest[(end + 1)...]
        switch name {
        case "lt": return [Self.less]
        case "gt": return [Self.greater]
        case "amp": return [UInt8(ascii: "&")]
        case "quot": return [UInt8(ascii: "\"")]
        case "apos": return [UInt8(ascii: "'")]
        default:
            guard let scalar = Self.scalar(name) else { throw .malformed }
            return Array(String(Character(scalar)).utf8)
        }
    }

    private static func scalar(_ name: String) -> Unicode.Scalar? {
        let isHexadecimal = name.hasPrefix("#x")
        let digits = name.dropFirst(isHexadecimal ? 2 : 1)
        guard name.hasPrefix("#"), digits.first.map({ $0 != "+" && $0 != "-" }) ?? false,
            let number = UInt32(digits, radix: isHexadecimal ? 16 : 10), number > 0
        else { return nil }
        return Unicode.Scalar(number)
    }

    private mutating func skipSpace() {
        rest = rest.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
    }

    private mutating func skip(_ text: StaticString) -> Bool {
        let bytes = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        guard rest.starts(with: bytes) else { return false }
        rest = rest.dropFirst(bytes.count)
        return true
    }

    private mutating func skip(past text: StaticString) throws(XMLError) {
        while !rest.isEmpty {
            if skip(text) { return }
            rest.removeFirst()
        }
        throw .malformed
    }
}

/// Why bytes are not XML of the accepted form.
package enum XMLError: Error {
    case malformed
    case tooDeep
    case tooManyElements
}
