import Basics
import CloudModel

/// Reads the parts of a ``RecordFile``. Total: any bytes lead to a value or to ``ByteCodingError``.
struct RecordReader {
    var bytes: ByteReader
    private var names: [RecordName] = []

    init(_ bytes: [UInt8]) { self.bytes = ByteReader(bytes) }

    mutating func file() throws(ByteCodingError) -> RecordFile {
        let store = ItemID(high: try bytes.fixed(), low: try bytes.fixed())
        let device = DeviceID(try bytes.fixed())
        let deviceName = try bytes.string()
        let number = try bytes.varint()
        try readNames()
        let transactions = try list(of: 15) { reader throws(ByteCodingError) in try reader.transaction() }
        try bytes.expectEnd()
        return RecordFile(
            store: store, device: device, deviceName: deviceName, number: number, transactions: transactions)
    }

    /// Reads the list of names; the rest refers to their positions.
    mutating func readNames() throws(ByteCodingError) {
        let count = try bytes.count(minimumBytes: 2)
        guard count <= RecordFile.maximumNames else { throw .invalid("\(count) names") }
        for _ in 0..<count {
            guard let name = RecordName(utf8: try bytes.counted()) else { throw .invalid("a name that no table has") }
            names.append(name)
        }
    }

    mutating func list<Element>(
        of minimumBytes: Int, _ read: (inout RecordReader) throws(ByteCodingError) -> Element
    ) throws(ByteCodingError) -> [Element] {
        var list: [Element] = []
        for _ in 0..<(try bytes.count(minimumBytes: minimumBytes)) { list.append(try read(&self)) }
        return list
    }

    private mutating func transaction() throws(ByteCodingError) -> RecordTransaction {
        RecordTransaction(
            base: try position(), time: Timestamp(nanoseconds: try bytes.fixed()),
            unions: try list(of: 5) { reader throws(ByteCodingError) in
                RowUnion(row: try reader.row(), key: try reader.key())
            },
            rules: try list(of: 6) { reader throws(ByteCodingError) in try reader.rules() },
            changes: try list(of: 4) { reader throws(ByteCodingError) in try reader.change() })
    }

    mutating func position() throws(ByteCodingError) -> RecordPosition {
        let sequence = LogSequence(try bytes.varint())
        let version = VersionID(sequence: sequence, index: try index())
        return RecordPosition(version: version, file: try bytes.varint(), place: try index())
    }

    mutating func index() throws(ByteCodingError) -> UInt32 {
        guard let index = UInt32(exactly: try bytes.varint()) else { throw .invalid("a number of more than 32 bits") }
        return index
    }

    mutating func name() throws(ByteCodingError) -> RecordName {
        let place = try bytes.varint()
        guard place < names.count else { throw .invalid("a name that is not in its list") }
        return names[Int(place)]
    }

    mutating func nameList() throws(ByteCodingError) -> [RecordName] {
        try list(of: 1) { reader throws(ByteCodingError) in try reader.name() }
    }

    mutating func rules() throws(ByteCodingError) -> TableRules {
        TableRules(
            table: try name(), version: try bytes.varint(), key: try nameList(), unify: try nameList(),
            uniques: try list(of: 1) { reader throws(ByteCodingError) in try reader.nameList() },
            references: try list(of: 2) { reader throws(ByteCodingError) in
                TableRules.Reference(columns: try reader.nameList(), table: try reader.name())
            })
    }

    mutating func row() throws(ByteCodingError) -> RowID { RowID(table: try name(), key: try key()) }

    mutating func key() throws(ByteCodingError) -> RecordKey {
        guard let key = RecordKey(try values()) else { throw .invalid("a row without a usable key") }
        return key
    }

    private mutating func change() throws(ByteCodingError) -> RecordChange {
        let row = try row()
        let tag = try bytes.byte()
        switch tag {
        case RecordTag.insert: return RecordChange(row, .insert, edits: try edits())
        case RecordTag.update: return RecordChange(row, .update, edits: try edits())
        case RecordTag.delete: return RecordChange(row, .delete)
        case RecordTag.resolve: return RecordChange(row, .resolve(Set(try nameList())))
        default: throw .invalid("an unknown change \(tag)")
        }
    }

    private mutating func edits() throws(ByteCodingError) -> [RecordName: ColumnEdit] {
        var edits: [RecordName: ColumnEdit] = [:]
        for _ in 0..<(try bytes.count(minimumBytes: 2)) {
            let name = try name()
            guard edits.updateValue(try edit(), forKey: name) == nil else { throw .invalid("a column twice") }
        }
        return edits
    }

    private mutating func edit() throws(ByteCodingError) -> ColumnEdit {
        let tag = try bytes.byte()
        switch tag {
        case RecordTag.offer: return .offer(try value())
        case RecordTag.add: return .add(try value(), result: try value())
        case RecordTag.members:
            return .members(adding: Set(try values()), removing: Set(try values()), result: try value())
        case RecordTag.restored:
            let restored = try restored()
            return .restored(
                restored, beside: try list(of: 9) { reader throws(ByteCodingError) in try reader.restored() })
        default: return .set(try value(tag))
        }
    }

    private mutating func restored() throws(ByteCodingError) -> ColumnEdit.Restored {
        ColumnEdit.Restored(try value(), at: Timestamp(nanoseconds: try bytes.fixed()))
    }

    mutating func values() throws(ByteCodingError) -> [RecordValue] {
        try list(of: 1) { reader throws(ByteCodingError) in try reader.value() }
    }

    mutating func value() throws(ByteCodingError) -> RecordValue { try value(bytes.byte()) }

    private mutating func value(_ tag: UInt8) throws(ByteCodingError) -> RecordValue {
        switch tag {
        case RecordTag.null: return .null
        case RecordTag.integer:
            let word = try bytes.varint()
            return .integer(Int64(bitPattern: word >> 1) ^ -Int64(bitPattern: word & 1))
        case RecordTag.real:
            let number = Double(bitPattern: try bytes.fixed())
            // As in RecordValue.number(_:): NaN differs from itself.
            guard !number.isNaN, number != 0 || number.sign == .plus else {
                throw .invalid("a number that is stored as another one")
            }
            return .real(number)
        case RecordTag.text: return .text(Array(try bytes.counted()))
        case RecordTag.blob: return .blob(Array(try bytes.counted()))
        default: throw .invalid("an unknown value \(tag)")
        }
    }
}
