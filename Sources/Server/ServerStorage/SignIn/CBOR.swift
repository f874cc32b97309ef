/// A value of CBOR (RFC 8949) in the subset sent by authenticators (CTAP 2.1, 8, "canonical CBOR"): definite lengths,
/// no tags and no floating-point numbers.
package indirect enum CBOR: Hashable, Sendable {
    case unsigned(UInt64)
    /// The number -1 - n.
    case negative(UInt64)
    case bytes([UInt8])
    case text(String)
    case array([CBOR])
    case map([CBOR: CBOR])
    case bool(Bool)
    case null

    package enum Problem: Error, Hashable {
        case truncated
        /// Deeper than ``maximumDepth`` or longer than ``maximumBytes``.
        case tooLarge
        /// Not in the subset, or not in the shortest form.
        case unsupported
        case notUTF8
        case duplicateKey
        /// Bytes follow the value.
        case trailing
    }

    /// CTAP 2.1 allows four levels; statements of attestation, skipped by this server, need one more.
    package static let maximumDepth = 8
    package static let maximumBytes = 1 << 16

    /// Returns a negative or positive number, such as the keys and values of COSE (RFC 9052).
    package static func number(_ number: Int64) -> CBOR {
        number < 0 ? .negative(UInt64(-(number + 1))) : .unsigned(UInt64(number))
    }

    /// Reads exactly one value.
    package init(decoding bytes: [UInt8]) throws(Problem) {
        var reader = CBORReader(bytes[...])
        self = try reader.value(depth: 0)
        guard reader.rest.isEmpty else { throw .trailing }
    }

    /// Reads the value at the beginning.
    ///
    /// - Returns: The value, and the bytes after it.
    package static func prefix(
        of bytes: ArraySlice<UInt8>
    ) throws(Problem) -> (value: CBOR, rest: ArraySlice<UInt8>) {
        var reader = CBORReader(bytes)
        let value = try reader.value(depth: 0)
        return (value, reader.rest)
    }

    /// The value of a key; nil also for values other than maps.
    package subscript(_ key: CBOR) -> CBOR? {
        guard case .map(let entries) = self else { return nil }
        return entries[key]
    }

    package var bytes: [UInt8]? {
        guard case .bytes(let bytes) = self else { return nil }
        return bytes
    }
}

/// Reads CBOR in time and memory linear in the bytes.
private struct CBORReader {
    var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    mutating func value(depth: Int) throws(CBOR.Problem) -> CBOR {
        guard depth < CBOR.maximumDepth, rest.count <= CBOR.maximumBytes else { throw .tooLarge }
        guard let first = rest.popFirst() else { throw .truncated }
        if first >> 5 == 7 { return try simple(first & 31) }
        let number = try argument(first & 31)
        switch first >> 5 {
        case 0: return .unsigned(number)
        case 1: return .negative(number)
        case 2: return .bytes(Array(try take(number)))
        case 3:
            guard let text = String(validating: try take(number), as: UTF8.self) else { throw .notUTF8 }
            return .text(text)
        case 4: return .array(try array(number, depth))
        case 5: return .map(try map(number, depth))
        default: throw .unsupported
        }
    }

    private func simple(_ information: UInt8) throws(CBOR.Problem) -> CBOR {
        switch information {
        case 20: return .bool(false)
        case 21: return .bool(true)
        case 22: return .null
        default: throw .unsupported
        }
    }

    /// Reads an argument (RFC 8949, 3); accepts only the shortest form of each number.
    private mutating func argument(_ information: UInt8) throws(CBOR.Problem) -> UInt64 {
        guard information >= 24 else { return UInt64(information) }
        guard information <= 27 else { throw .unsupported }
        let count = 1 << Int(information - 24)
        let number = try take(UInt64(count)).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let isShortest = count == 1 ? number >= 24 : number >> UInt64(count * 4) > 0
        guard isShortest else { throw .unsupported }
        return number
    }

    private mutating func take(_ count: UInt64) throws(CBOR.Problem) -> ArraySlice<UInt8> {
        guard count <= UInt64(rest.count) else { throw .truncated }
        let bytes = rest.prefix(Int(count))
        rest = rest.dropFirst(Int(count))
        return bytes
    }

    private mutating func array(_ count: UInt64, _ depth: Int) throws(CBOR.Problem) -> [CBOR] {
        // Each element has at least a byte.
        guard count <= UInt64(rest.count) else { throw .truncated }
        var elements: [CBOR] = []
        for _ in 0..<count { elements.append(try value(depth: depth + 1)) }
        return elements
    }

    private mutating func map(_ count: UInt64, _ depth: Int) throws(CBOR.Problem) -> [CBOR: CBOR] {
        guard count <= UInt64(rest.count) / 2 else { throw .truncated }
        var entries: [CBOR: CBOR] = [:]
        for _ in 0..<count {
            let key = try value(depth: depth + 1)
            guard entries.updateValue(try value(depth: depth + 1), forKey: key) == nil else { throw .duplicateKey }
        }
        return entries
    }
}
