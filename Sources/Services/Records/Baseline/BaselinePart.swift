import Basics
package import CloudModel

/// A file of a baseline's rows. Items are encoded separately, as in the state's tables, so that neither writer nor
/// reader holds more than a single part in memory.
package struct BaselinePart {
    package let store: ItemID
    package let name: RecordBaseline.Name
    /// From 0.
    package let number: UInt32
    private var items = ByteWriter()
    private var count: UInt64 = 0

    package init(store: ItemID, name: RecordBaseline.Name, number: UInt32) {
        self.store = store
        self.name = name
        self.number = number
    }

    /// The size of the items so far.
    package var size: Int { items.bytes.count }

    package var isEmpty: Bool { count == 0 }

    // MARK: Writing

    /// Appends a row as ``Record/encoded()`` wrote it.
    package mutating func append(row table: [UInt8], key: [UInt8], body: [UInt8]) {
        append(Tag.row, [table, key, body])
    }

    /// Appends an alias: a row's former key, its current key, and the position of the uniting transaction.
    package mutating func append(alias table: [UInt8], key: [UInt8], target: [UInt8], position: [UInt8]) {
        append(Tag.alias, [table, key, target, position])
    }

    /// Appends a lost value as ``LostValue/encoded()`` wrote it.
    package mutating func append(lost body: [UInt8]) { append(Tag.lost, [body]) }

    package mutating func append(_ item: BaselineItem) {
        switch item {
        case .row(let id, let record): append(row: id.table.utf8, key: id.key.encoded(), body: record.encoded())
        case .alias(let id, let alias):
            append(
                alias: id.table.utf8, key: id.key.encoded(), target: alias.key.encoded(),
                position: alias.position.encoded())
        case .lost(let value): append(lost: value.encoded())
        }
    }

    private mutating func append(_ tag: UInt8, _ fields: [[UInt8]]) {
        items.append(byte: tag)
        for field in fields { items.append(counted: field) }
        count += 1
    }

    package func encoded() throws(RecordFileError) -> [UInt8] {
        var payload = ByteWriter(reservingCapacity: items.bytes.count + 64)
        payload.append(fixed: store.high)
        payload.append(fixed: store.low)
        payload.append(fixed: name.device.value)
        payload.append(varint: name.number)
        payload.append(varint: UInt64(number))
        payload.append(varint: count)
        payload.append(raw: items.bytes)
        return try BaselineEnvelope.part.encoded(payload.bytes)
    }

    // MARK: Reading

    /// Passes the items of a part in their order. Any bytes either are a part or throw ``RecordFileError``.
    package static func read(
        _ file: [UInt8], of baseline: RecordBaseline, number: Int, _ body: (BaselineItem) throws -> Void
    ) throws {
        guard baseline.parts.indices.contains(number), RecordBaseline.Part(of: file) == baseline.parts[number] else {
            throw RecordFileError.damaged("part \(number) of a baseline differs from its head")
        }
        do {
            var reader = ByteReader(try BaselineEnvelope.part.payload(of: file))
            let store = ItemID(high: try reader.fixed(), low: try reader.fixed())
            let name = RecordBaseline.Name(device: DeviceID(try reader.fixed()), number: try reader.varint())
            guard store == baseline.store, name == baseline.name, try reader.varint() == UInt64(number) else {
                throw RecordFileError.damaged("it is a part of another baseline")
            }
            for _ in 0..<(try reader.count(minimumBytes: 2)) { try body(try item(&reader)) }
            try reader.expectEnd()
        } catch let error as ByteCodingError {
            throw RecordFileError.damaged("\(error)")
        }
    }

    private static func item(_ reader: inout ByteReader) throws(ByteCodingError) -> BaselineItem {
        let tag = try reader.byte()
        switch tag {
        case Tag.row: return .row(try row(&reader), try Record(decoding: Array(try reader.counted())))
        case Tag.alias:
            let id = try row(&reader)
            let key = try RecordKey(decoding: Array(try reader.counted()))
            // A key standing for itself would never be resolved.
            guard key != id.key else { throw .invalid("a row that became itself") }
            let position = try RecordPosition(decoding: Array(try reader.counted()))
            return .alias(id, RecordAlias(key: key, position: position))
        case Tag.lost: return .lost(try LostValue(decoding: Array(try reader.counted())))
        default: throw .invalid("an unknown item \(tag)")
        }
    }

    private static func row(_ reader: inout ByteReader) throws(ByteCodingError) -> RowID {
        guard let table = RecordName(utf8: try reader.counted()) else { throw .invalid("a table without a name") }
        return RowID(table: table, key: try RecordKey(decoding: Array(try reader.counted())))
    }

    private enum Tag {
        static let row: UInt8 = 0
        static let alias: UInt8 = 1
        static let lost: UInt8 = 2
    }
}
