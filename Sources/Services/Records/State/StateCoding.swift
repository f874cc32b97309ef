package import Basics
import CloudModel

/// The encoding of the folded log, for a device's own database and for baselines (``BaselinePart``). A value begins
/// with the names it uses, so that each can be read alone. Total: any bytes lead to a value or to ``ByteCodingError``.
extension Record {
    package func encoded() -> [UInt8] {
        var names = Set(columns.keys)
        switch place {
        case .aside(.clash(let columns, _)): names.formUnion(columns)
        case .aside(.orphan(let parent)): names.insert(parent.table)
        case .live, .deleted: break
        }
        var writer = RecordWriter(listing: names)
        writer.append(created)
        writer.append(place)
        writer.bytes.append(varint: UInt64(columns.count))
        for (name, column) in columns.sorted(by: { $0.key < $1.key }) {
            writer.append(name)
            writer.append(column.value)
            writer.append(column.stamp)
            writer.bytes.append(varint: UInt64(column.beside.count))
            for alternative in column.beside {
                writer.append(alternative.value)
                writer.append(alternative.stamp)
            }
        }
        return writer.bytes.bytes
    }

    package init(decoding bytes: [UInt8]) throws(ByteCodingError) {
        var reader = try RecordReader(listing: bytes)
        self.init(created: try reader.stamp(), place: try reader.place())
        for _ in 0..<(try reader.bytes.count(minimumBytes: 3)) {
            let name = try reader.name()
            columns[name] = RecordColumn(
                value: try reader.value(), stamp: try reader.stamp(),
                beside: try reader.list(of: 2) { reader throws(ByteCodingError) in
                    RecordColumn.Alternative(value: try reader.value(), stamp: try reader.stamp())
                })
        }
        try reader.bytes.expectEnd()
    }
}

extension TableRules {
    package func encoded() -> [UInt8] {
        var writer = RecordWriter(listing: Set(names))
        writer.append(self)
        return writer.bytes.bytes
    }

    package init(decoding bytes: [UInt8]) throws(ByteCodingError) {
        var reader = try RecordReader(listing: bytes)
        self = try reader.rules()
        try reader.bytes.expectEnd()
    }
}

extension RecordKey {
    package func encoded() -> [UInt8] {
        var writer = RecordWriter(names: [])
        writer.append(values)
        return writer.bytes.bytes
    }

    package init(decoding bytes: [UInt8]) throws(ByteCodingError) {
        var reader = RecordReader(bytes)
        self = try reader.key()
        try reader.bytes.expectEnd()
    }
}

extension RecordPosition {
    package func encoded() -> [UInt8] {
        var writer = RecordWriter(names: [])
        writer.append(self)
        return writer.bytes.bytes
    }

    package init(decoding bytes: [UInt8]) throws(ByteCodingError) {
        var reader = RecordReader(bytes)
        self = try reader.position()
        try reader.bytes.expectEnd()
    }
}

extension LostValue {
    package func encoded() -> [UInt8] {
        var names: Set = [row.table]
        if let column { names.insert(column) }
        if case .orphan(let parent) = reason { names.insert(parent.table) }
        var writer = RecordWriter(listing: names)
        writer.append(row)
        writer.append(column.map { [$0] } ?? [])
        writer.append(value)
        writer.append(stamp)
        writer.append(winner)
        writer.append(reason)
        return writer.bytes.bytes
    }

    package init(decoding bytes: [UInt8]) throws(ByteCodingError) {
        var reader = try RecordReader(listing: bytes)
        self.init(
            row: try reader.row(), column: try reader.nameList().first, value: try reader.value(),
            stamp: try reader.stamp(), winner: try reader.stamp(), reason: try reader.reason())
        try reader.bytes.expectEnd()
    }
}

// MARK: Parts

private enum StateTag {
    static let live: UInt8 = 0
    static let deleted: UInt8 = 1
    static let clash: UInt8 = 2
    static let orphan: UInt8 = 3

    static let replaced: UInt8 = 0
    static let united: UInt8 = 4
    static let deletionRefused: UInt8 = 5
}

extension RecordWriter {
    fileprivate init(listing names: Set<RecordName>) {
        let names = names.sorted()
        self.init(names: names)
        append(list: names)
    }

    fileprivate mutating func append(_ row: RowID) {
        append(row.table)
        append(row.key.values)
    }

    fileprivate mutating func append(_ stamp: RecordStamp) {
        append(stamp.position)
        bytes.append(fixed: stamp.device.value)
        bytes.append(fixed: stamp.time.nanoseconds)
        append(stamp.via?.values ?? [])
    }

    fileprivate mutating func append(_ place: Record.Place) {
        switch place {
        case .live: bytes.append(byte: StateTag.live)
        case .deleted(let stamp):
            bytes.append(byte: StateTag.deleted)
            append(stamp)
        case .aside(.clash(let columns, let key)):
            bytes.append(byte: StateTag.clash)
            append(columns)
            append(key.values)
        case .aside(.orphan(let parent)):
            bytes.append(byte: StateTag.orphan)
            append(parent)
        }
    }

    fileprivate mutating func append(_ reason: LostValue.Reason) {
        switch reason {
        case .replaced: bytes.append(byte: StateTag.replaced)
        case .clash(let key):
            bytes.append(byte: StateTag.clash)
            append(key.values)
        case .orphan(let parent):
            bytes.append(byte: StateTag.orphan)
            append(parent)
        case .united: bytes.append(byte: StateTag.united)
        case .deletionRefused: bytes.append(byte: StateTag.deletionRefused)
        }
    }
}

extension RecordReader {
    fileprivate init(listing bytes: [UInt8]) throws(ByteCodingError) {
        self.init(bytes)
        try readNames()
    }

    fileprivate mutating func stamp() throws(ByteCodingError) -> RecordStamp {
        let position = try position()
        let device = DeviceID(try bytes.fixed())
        let time = Timestamp(nanoseconds: try bytes.fixed())
        return RecordStamp(position: position, device: device, time: time, via: RecordKey(try values()))
    }

    fileprivate mutating func place() throws(ByteCodingError) -> Record.Place {
        let tag = try bytes.byte()
        switch tag {
        case StateTag.live: return .live
        case StateTag.deleted: return .deleted(try stamp())
        case StateTag.clash: return .aside(.clash(columns: try nameList(), with: try key()))
        case StateTag.orphan: return .aside(.orphan(of: try row()))
        default: throw .invalid("an unknown place \(tag)")
        }
    }

    fileprivate mutating func reason() throws(ByteCodingError) -> LostValue.Reason {
        let tag = try bytes.byte()
        switch tag {
        case StateTag.replaced: return .replaced
        case StateTag.clash: return .clash(with: try key())
        case StateTag.orphan: return .orphan(of: try row())
        case StateTag.united: return .united
        case StateTag.deletionRefused: return .deletionRefused
        default: throw .invalid("an unknown reason \(tag)")
        }
    }
}
