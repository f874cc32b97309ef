/// Appends values in the encoding of all formats of this project: little-endian integers, LEB128 lengths.
package struct ByteWriter: Sendable {
    package private(set) var bytes: [UInt8]

    package init(reservingCapacity capacity: Int = 64) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    package mutating func append(byte: UInt8) { bytes.append(byte) }

    /// Appends a fixed-width little-endian integer.
    package mutating func append<T: FixedWidthInteger>(fixed value: T) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Appends an unsigned LEB128 integer: 1 byte below 128, at most 10.
    package mutating func append(varint value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Appends bytes unchanged, without a length.
    package mutating func append(raw values: some Sequence<UInt8>) { bytes.append(contentsOf: values) }

    /// Appends a varint length, then the bytes.
    package mutating func append(counted values: some Collection<UInt8>) {
        append(varint: UInt64(values.count))
        bytes.append(contentsOf: values)
    }

    /// The specialised form, without witness tables, for messages coded thousands of times a second.
    package mutating func append(counted values: [UInt8]) {
        append(varint: UInt64(values.count))
        bytes.append(contentsOf: values)
    }

    package mutating func append(string value: String) {
        var value = value
        value.withUTF8 { text in
            append(varint: UInt64(text.count))
            bytes.append(contentsOf: text)
        }
    }
}
