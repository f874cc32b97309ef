import Basics
import CloudModel

/// Writes the parts of a ``RecordFile``. Names are written as their positions in the file's list.
struct RecordWriter {
    var bytes = ByteWriter(reservingCapacity: 4096)
    private let places: [RecordName: UInt64]

    init(names: [RecordName]) {
        places = Dictionary(names.enumerated().map { ($1, UInt64($0)) }) { first, _ in first }
    }

    /// Writes the list of names; the rest refers to their positions.
    mutating func append(list names: [RecordName]) {
        bytes.append(varint: UInt64(names.count))
        for name in names { bytes.append(counted: name.utf8) }
    }

    mutating func append(_ transaction: RecordTransaction) {
        append(transaction.base)
        bytes.append(fixed: transaction.time.nanoseconds)
        bytes.append(varint: UInt64(transaction.unions.count))
        for union in transaction.unions {
            append(union.row.table)
            append(union.row.key.values)
            append(union.key.values)
        }
        bytes.append(varint: UInt64(transaction.rules.count))
        for rules in transaction.rules { append(rules) }
        bytes.append(varint: UInt64(transaction.changes.count))
        for change in transaction.changes { append(change) }
    }

    mutating func append(_ position: RecordPosition) {
        bytes.append(varint: position.version.sequence.value)
        bytes.append(varint: UInt64(position.version.index))
        bytes.append(varint: position.file)
        bytes.append(varint: UInt64(position.place))
    }

    mutating func append(_ name: RecordName) {
        // The list has all names of the file.
        bytes.append(varint: places[name] ?? 0)
    }

    mutating func append(_ names: [RecordName]) {
        bytes.append(varint: UInt64(names.count))
        for name in names { append(name) }
    }

    mutating func append(_ rules: TableRules) {
        append(rules.table)
        bytes.append(varint: rules.version)
        append(rules.key)
        append(rules.unify)
        bytes.append(varint: UInt64(rules.uniques.count))
        for columns in rules.uniques { append(columns) }
        bytes.append(varint: UInt64(rules.references.count))
        for reference in rules.references {
            append(reference.columns)
            append(reference.table)
        }
    }

    private mutating func append(_ change: RecordChange) {
        append(change.row.table)
        append(change.row.key.values)
        switch change.kind {
        case .insert: bytes.append(byte: RecordTag.insert)
        case .update: bytes.append(byte: RecordTag.update)
        case .delete: return bytes.append(byte: RecordTag.delete)
        case .resolve(let columns):
            bytes.append(byte: RecordTag.resolve)
            return append(columns.sorted())
        }
        bytes.append(varint: UInt64(change.edits.count))
        for (name, edit) in change.edits.sorted(by: { $0.key < $1.key }) {
            append(name)
            append(edit)
        }
    }

    private mutating func append(_ edit: ColumnEdit) {
        switch edit {
        case .set(let value): append(value)
        case .offer(let value):
            bytes.append(byte: RecordTag.offer)
            append(value)
        case .add(let delta, let result):
            bytes.append(byte: RecordTag.add)
            append(delta)
            append(result)
        case .members(let adding, let removing, let result):
            bytes.append(byte: RecordTag.members)
            append(adding.sorted())
            append(removing.sorted())
            append(result)
        case .restored(let restored, let beside):
            bytes.append(byte: RecordTag.restored)
            append(restored)
            bytes.append(varint: UInt64(beside.count))
            for other in beside { append(other) }
        }
    }

    private mutating func append(_ restored: ColumnEdit.Restored) {
        append(restored.value)
        bytes.append(fixed: restored.time.nanoseconds)
    }

    mutating func append(_ values: [RecordValue]) {
        bytes.append(varint: UInt64(values.count))
        for value in values { append(value) }
    }

    mutating func append(_ value: RecordValue) {
        switch value {
        case .null: bytes.append(byte: RecordTag.null)
        case .integer(let number):
            bytes.append(byte: RecordTag.integer)
            // Zigzag: small numbers of either sign are short.
            bytes.append(varint: UInt64(bitPattern: number << 1 ^ number >> 63))
        case .real(let number):
            bytes.append(byte: RecordTag.real)
            bytes.append(fixed: number.bitPattern)
        case .text(let text):
            bytes.append(byte: RecordTag.text)
            bytes.append(counted: text)
        case .blob(let blob):
            bytes.append(byte: RecordTag.blob)
            bytes.append(counted: blob)
        }
    }
}

/// The first byte of a change, of an edit and of a value. A plain set edit begins with the value's.
enum RecordTag {
    static let insert: UInt8 = 1
    static let update: UInt8 = 2
    static let delete: UInt8 = 3
    static let resolve: UInt8 = 4

    static let null: UInt8 = 0
    static let integer: UInt8 = 1
    static let real: UInt8 = 2
    static let text: UInt8 = 3
    static let blob: UInt8 = 4

    static let offer: UInt8 = 16
    static let add: UInt8 = 17
    static let members: UInt8 = 18
    static let restored: UInt8 = 19
}
