/// Reads values written by ``ByteWriter``. Total: any bytes lead to a value or to ``ByteCodingError``, in bounded time
/// and memory.
package struct ByteReader: Sendable {
    private let bytes: ArraySlice<UInt8>
    private var position: Int

    package init(_ bytes: some Collection<UInt8>) {
        let slice = ArraySlice(bytes)
        self.bytes = slice
        position = slice.startIndex
    }

    /// The specialised form, without witness tables, for messages coded thousands of times a second.
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes[...]
        position = 0
    }

    package var remaining: Int { bytes.endIndex - position }

    package var isAtEnd: Bool { position == bytes.endIndex }

    package mutating func byte() throws(ByteCodingError) -> UInt8 {
        guard position < bytes.endIndex else { throw .truncated }
        defer { position += 1 }
        return bytes[position]
    }

    package mutating func fixed<T: FixedWidthInteger>(_ type: T.Type = T.self) throws(ByteCodingError) -> T {
        var value = T.zero
        for shift in 0..<(T.bitWidth / 8) { value |= T(truncatingIfNeeded: try byte()) << (shift * 8) }
        return value
    }

    package mutating func varint() throws(ByteCodingError) -> UInt64 {
        var value: UInt64 = 0
        var shift = 0
        while true {
            let next = try byte()
            guard shift < 63 || (shift == 63 && next <= 1) else { throw .invalid("integer of more than 64 bits") }
            value |= UInt64(next & 0x7F) << shift
            if next < 0x80 { return value }
            shift += 7
        }
    }

    /// Reads a count of items of at least `minimumBytes` each: a hostile count cannot cause the caller to reserve
    /// memory.
    package mutating func count(minimumBytes: Int = 1) throws(ByteCodingError) -> Int {
        let value = try varint()
        guard value <= UInt64(remaining / max(1, minimumBytes)) else { throw .truncated }
        return Int(value)
    }

    package mutating func raw(_ count: Int) throws(ByteCodingError) -> ArraySlice<UInt8> {
        guard count >= 0, count <= remaining else { throw .truncated }
        defer { position += count }
        return bytes[position..<position + count]
    }

    package mutating func counted() throws(ByteCodingError) -> ArraySlice<UInt8> { try raw(count()) }

    package mutating func string() throws(ByteCodingError) -> String {
        guard let value = String(validating: try counted(), as: UTF8.self) else {
            throw .invalid("text that is not UTF-8")
        }
        return value
    }

    package func expectEnd() throws(ByteCodingError) {
        guard isAtEnd else { throw .invalid("\(remaining) bytes too many") }
    }
}
