import Basics
import CloudModel

/// The encoding of a file of transactions; docs/DATABASES.md has the layout. A file has exactly one encoding: equal
/// files are equal bytes.
extension RecordFile {
    package static let format: UInt8 = 1
    /// "UbiR", the format and the checksum.
    static let magic: UInt32 = 0x5269_6255
    static let headerBytes = 9
    /// Limits, so that no single file takes much of a device's memory.
    package static let maximumBytes = 64 << 20
    package static let maximumTransactions = 10_000
    package static let maximumColumns = 2_000
    package static let maximumNames = 16_384
    package static let maximumDeviceNameBytes = 255

    package func encoded() throws(RecordFileError) -> [UInt8] {
        try check()
        let names = usedNames
        guard names.count <= Self.maximumNames else { throw .tooLarge("\(names.count) names of tables and columns") }
        var writer = RecordWriter(names: names)
        writer.bytes.append(fixed: store.high)
        writer.bytes.append(fixed: store.low)
        writer.bytes.append(fixed: device.value)
        writer.bytes.append(string: deviceName)
        writer.bytes.append(varint: number)
        writer.append(list: names)
        writer.bytes.append(varint: UInt64(transactions.count))
        for transaction in transactions { writer.append(transaction) }
        let payload = writer.bytes.bytes
        guard payload.count <= Self.maximumBytes - Self.headerBytes else {
            let (size, limit) = (ByteCount(UInt64(payload.count)), ByteCount(UInt64(Self.maximumBytes)))
            throw .tooLarge("it has \(size), and a file holds \(limit)")
        }
        var file = ByteWriter(reservingCapacity: payload.count + Self.headerBytes)
        file.append(fixed: Self.magic)
        file.append(byte: Self.format)
        file.append(fixed: CRC32C.checksum(payload))
        file.append(raw: payload)
        return file.bytes
    }

    /// Decodes a file. Any bytes either decode or throw ``RecordFileError``.
    package init(decoding bytes: [UInt8]) throws(RecordFileError) {
        guard bytes.count <= Self.maximumBytes else { throw .damaged("\(bytes.count) bytes, too many for a file") }
        var reader = RecordReader(bytes)
        // The rest may differ between formats, so each field is checked before the next is read.
        let magic = try reader.intact { reader throws(ByteCodingError) in try reader.bytes.fixed(UInt32.self) }
        guard magic == Self.magic else { throw .damaged("another kind of file") }
        let format = try reader.intact { reader throws(ByteCodingError) in try reader.bytes.byte() }
        guard format <= Self.format else { throw .tooNew(format: format, known: Self.format) }
        guard format == Self.format else { throw .damaged("an invalid format \(format)") }
        let checksum = try reader.intact { reader throws(ByteCodingError) in try reader.bytes.fixed(UInt32.self) }
        guard CRC32C.checksum(Array(bytes[Self.headerBytes...])) == checksum else {
            throw .damaged("its bytes differ from their checksum")
        }
        let file = try reader.intact { reader throws(ByteCodingError) in try reader.file() }
        // Encodings are unique: no release of this program wrote different bytes.
        guard let canonical = try? file.encoded(), canonical == bytes else { throw .damaged("an unusual encoding") }
        self = file
    }

    /// The names of tables and columns, each once, ascending.
    private var usedNames: [RecordName] {
        var names: Set<RecordName> = []
        for transaction in transactions {
            for rules in transaction.rules { names.formUnion(rules.names) }
            names.formUnion(transaction.unions.map(\.row.table))
            for change in transaction.changes {
                names.insert(change.row.table)
                names.formUnion(change.edits.keys)
                if case .resolve(let columns) = change.kind { names.formUnion(columns) }
            }
        }
        return names.sorted()
    }
}

extension RecordReader {
    /// Reads a value, or throws an error for a damaged file.
    fileprivate mutating func intact<T>(
        _ read: (inout RecordReader) throws(ByteCodingError) -> T
    ) throws(RecordFileError) -> T {
        do throws(ByteCodingError) {
            return try read(&self)
        } catch {
            throw .damaged("\(error)")
        }
    }
}
