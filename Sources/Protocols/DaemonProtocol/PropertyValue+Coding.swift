package import Basics

/// The binary encoding of a value, format 1; docs/KEYVALUES.md has the layout. Equal values have equal bytes.
extension PropertyValue {
    private static let format: UInt8 = 1

    private enum Tag: UInt8 {
        case no = 0
        case yes = 1
        case integer = 2
        case real = 3
        case date = 4
        case text = 5
        case data = 6
        case array = 7
        case dictionary = 8
    }

    /// Returns nil for a too deeply nested value.
    package func encoded() -> [UInt8]? {
        var writer = ByteWriter()
        writer.append(byte: Self.format)
        return write(to: &writer, depth: 0) ? writer.bytes : nil
    }

    /// Decodes any bytes or throws, in time and memory proportional to their number.
    package init(decoding bytes: some Collection<UInt8>) throws(ByteCodingError) {
        var reader = ByteReader(bytes)
        let format = try reader.byte()
        guard format == Self.format else { throw .invalid("a value of format \(format)") }
        self = try Self.read(&reader, depth: 0)
        try reader.expectEnd()
        // A length has several encodings, of which only the shortest is valid.
        guard encoded()?.elementsEqual(bytes) ?? false else {
            throw .invalid("a length that is not in its shortest form")
        }
    }

    private func write(to writer: inout ByteWriter, depth: Int) -> Bool {
        guard depth < Self.maximumDepth else { return false }
        switch self {
        case .flag(let flag): writer.append(byte: (flag ? Tag.yes : .no).rawValue)
        case .integer(let number):
            writer.append(byte: Tag.integer.rawValue)
            writer.append(fixed: number)
        case .real(let number):
            writer.append(byte: Tag.real.rawValue)
            writer.append(fixed: number.bitPattern)
        case .date(let seconds):
            writer.append(byte: Tag.date.rawValue)
            writer.append(fixed: seconds.bitPattern)
        case .text(let text):
            writer.append(byte: Tag.text.rawValue)
            writer.append(string: text)
        case .data(let bytes):
            writer.append(byte: Tag.data.rawValue)
            writer.append(counted: bytes)
        case .array(let values):
            writer.append(byte: Tag.array.rawValue)
            writer.append(varint: UInt64(values.count))
            for value in values where !value.write(to: &writer, depth: depth + 1) { return false }
        case .dictionary(let values):
            writer.append(byte: Tag.dictionary.rawValue)
            writer.append(varint: UInt64(values.count))
            for (key, value) in values.sorted(by: { Self.precedes($0.key, $1.key) }) {
                writer.append(string: key)
                guard value.write(to: &writer, depth: depth + 1) else { return false }
            }
        }
        return true
    }

    private static func precedes(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }

    private static func read(_ reader: inout ByteReader, depth: Int) throws(ByteCodingError) -> PropertyValue {
        guard depth < maximumDepth else { throw .invalid("values nested too deeply") }
        let byte = try reader.byte()
        guard let tag = Tag(rawValue: byte) else { throw .invalid("an unknown kind of value \(byte)") }
        switch tag {
        case .no: return .flag(false)
        case .yes: return .flag(true)
        case .integer: return .integer(try reader.fixed())
        case .real: return .real(Double(bitPattern: try reader.fixed()))
        case .date: return .date(Double(bitPattern: try reader.fixed()))
        case .text: return .text(try reader.string())
        case .data: return .data(Array(try reader.counted()))
        case .array:
            var values: [PropertyValue] = []
            for _ in 0..<(try reader.count()) { values.append(try read(&reader, depth: depth + 1)) }
            return .array(values)
        case .dictionary: return try readDictionary(&reader, depth: depth)
        }
    }

    private static func readDictionary(
        _ reader: inout ByteReader, depth: Int
    ) throws(ByteCodingError) -> PropertyValue {
        var values: [String: PropertyValue] = [:]
        var last: String?
        for _ in 0..<(try reader.count(minimumBytes: 2)) {
            let key = try reader.string()
            // Sorted keys ensure a unique encoding.
            guard last.map({ precedes($0, key) }) ?? true else { throw .invalid("unsorted keys") }
            last = key
            let value = try read(&reader, depth: depth + 1)
            // To Swift, two canonically equivalent spellings of a text are the same key.
            guard values.updateValue(value, forKey: key) == nil else { throw .invalid("a duplicate key") }
        }
        return .dictionary(values)
    }
}
