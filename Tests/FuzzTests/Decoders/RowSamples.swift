import Basics
import CloudModel
import ContainerLog
import GRDB
import GRDBSQLite

import struct Foundation.Data

@testable import LocalMetadata

/// Decodes bytes to values of columns: a byte for the type, then the value; NULL when there are no more bytes.
struct ColumnValues {
    private var reader: ByteReader

    init(_ bytes: some Collection<UInt8>) { reader = ByteReader(bytes) }

    mutating func next() -> (any ColumnBindable)? { accepted { try value() } ?? nil }

    private mutating func value() throws -> (any ColumnBindable)? {
        switch try reader.byte() % 6 {
        case 0: nil
        case 1: Int64(try reader.byte())
        case 2: try reader.fixed(Int64.self)
        case 3: Data(try reader.counted())
        case 4: String(decoding: try reader.counted(), as: UTF8.self)
        default: Double(bitPattern: try reader.fixed())
        }
    }

    /// The encoding of these values.
    static func bytes(_ values: StatementValues) -> [UInt8] {
        var writer = ByteWriter()
        for value in values { append(value, to: &writer) }
        return writer.bytes
    }

    private static func append(_ value: (any ColumnBindable)?, to writer: inout ByteWriter) {
        switch value {
        case let number as Int64: append(number, to: &writer)
        case let number as Int: append(Int64(number), to: &writer)
        case let flag as Bool: append(flag ? 1 : 0, to: &writer)
        case let id as ItemID: append(id.data, to: &writer)
        case let data as Data:
            writer.append(byte: 3)
            writer.append(counted: data)
        case let text as String:
            writer.append(byte: 4)
            writer.append(string: text)
        case let number as Double:
            writer.append(byte: 5)
            writer.append(fixed: number.bitPattern)
        default: writer.append(byte: 0)
        }
    }

    private static func append(_ number: Int64, to writer: inout ByteWriter) {
        guard (0...255).contains(number) else {
            writer.append(byte: 2)
            return writer.append(fixed: number)
        }
        writer.append(byte: 1)
        writer.append(byte: UInt8(number))
    }
}

extension Double: ColumnBindable {
    func bind(to statement: SQLiteStatement, at index: CInt) -> CInt {
        sqlite3_bind_double(statement, index, self)
    }
}

/// Rows as this version writes them.
enum RowSamples {
    static func all() throws -> [[UInt8]] {
        let cloud = try cloudItem().values(in: ContainerID(1), key: NameKey(bytes: Array("a.txt".utf8)))
        let item = cloudID.data
        let kinds: [StatementValues] = [
            localValues(item), cloud, cloud + [false], [1, "com.example.notes", 17, 3, true],
            [3, 1, Int64(1) << 60, false], [1, item, 16, Data("gone".utf8), 1, Int64(1) << 60, false], [1, item, 3, 0],
        ]
        return kinds.enumerated().map { [UInt8($0)] + ColumnValues.bytes($1) }
    }

    private static let cloudID = ItemID(high: 1 << 63, low: 7)
    private static let digest = Digest(words: (1, 2, 3, 4))

    private static func cloudItem() throws -> CloudItem {
        let content = FileContent.stored(ContentReference(digest: digest, size: 5, layout: .chunk))
        let conflict = ConflictVersion(
            version: VersionID(sequence: LogSequence(9), index: 2), content: content, modified: .zero,
            author: DeviceID(8), authorName: "desk", base: digest)
        return CloudItem(
            id: cloudID, parent: .documents, name: try ItemName("a.txt"),
            attributes: ItemAttributes(
                permissions: 0o644, modified: .zero, created: .zero, extended: ["user.a": [1, 2]]),
            body: .file(content), version: VersionID(sequence: LogSequence(3), index: 1), author: DeviceID(7),
            authorName: "laptop", conflicts: [conflict])
    }

    /// A value for each column of `local`, in order, the node first.
    private static func localValues(_ item: Data) -> StatementValues {
        let time = Int64(1) << 60
        let place: StatementValues = [17, 1, item, 16, Data("a.txt".utf8), 1, 0o644]
        let attributes: StatementValues = [
            time, time, time, nil, nil, 1000, ExtendedAttributes.encode(["user.a": [1]]), nil,
        ]
        let content: StatementValues = [5, digest.data, 1, 1, Data([3]), 4]
        let state: StatementValues = [0, 0, 1, 0, 0, 2, 100, time, time, "cut off", nil, item, 9, 2]
        return place + attributes + content + state
    }
}
