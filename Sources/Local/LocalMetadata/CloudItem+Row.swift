import Basics
import CloudModel
import ContainerLog
import GRDB

import struct Foundation.Data

/// How a ``CloudItem`` stands in `remote` and `synced`.
extension CloudItem {
    static let columns = [
        "container", "item", "parent", "name", "nameKey", "kind", "permissions", "modified", "created", "extended",
        "target", "size", "digest", "layout", "sequence", "changeIndex", "author", "authorName", "isDeleted",
        "conflicts",
    ]
    static let selection = columns.joined(separator: ", ")
    static let query = "SELECT \(selection) FROM remote WHERE container = ? AND item = ?"
    static let insertion = "INSERT OR REPLACE INTO remote (\(selection)) VALUES (\(placeholders))"
    static let placeholders = columns.map { _ in "?" }.joined(separator: ", ")

    func values(in container: ContainerID, key: NameKey) -> [(any DatabaseValueConvertible)?] {
        var target: Data?
        if case .symlink(let path) = body { target = Data(path) }
        return [
            container.value, id.data, parent.data, name.data, Data(key.bytes), Int64(body.kind.rawValue),
            Int64(attributes.permissions), attributes.modified.nanoseconds, attributes.created.nanoseconds,
            ExtendedAttributes.encode(attributes.extended), target,
            Int64(clamping: body.content?.size ?? 0),
            body.content?.reference.map(\.digest.data), Int64(body.content?.reference?.layout.rawValue ?? 0),
            Int64(bitPattern: version.sequence.value), Int64(version.index), Int64(bitPattern: author.value),
            authorName, isDeleted, ConflictColumn.encode(conflicts),
        ]
    }

}

extension CloudItem: ColumnDecodable {
    init(columns: Columns) throws {
        self.init(
            id: try ItemID(data: columns.data(1)), parent: try ItemID(data: columns.data(2)),
            name: try columns.name(3),
            attributes: ItemAttributes(
                permissions: UInt16(truncatingIfNeeded: columns.integer(6)),
                modified: Timestamp(nanoseconds: columns.integer(7)),
                created: Timestamp(nanoseconds: columns.integer(8)),
                extended: try ExtendedAttributes.decode(columns.optionalData(9))),
            body: try Self.body(columns),
            version: VersionID(
                sequence: LogSequence(columns.unsigned(14)), index: UInt32(truncatingIfNeeded: columns.integer(15))),
            author: DeviceID(columns.unsigned(16)), authorName: columns.text(17),
            conflicts: try ConflictColumn.decode(columns.optionalData(19)), isDeleted: columns.bool(18))
    }

    private static func body(_ columns: Columns) throws -> ItemBody {
        switch ItemKind(rawValue: UInt8(truncatingIfNeeded: columns.integer(5))) {
        case .folder: return .folder
        case .symlink: return .symlink(target: columns.bytes(10))
        case .file:
            let size = try columns.count(11)
            let reference = try columns.content(digest: 12, size: size, layout: 13)
            return .file(reference.map(FileContent.stored) ?? .announced(size: size))
        case nil: throw MetadataError.damagedRow("an unknown kind of item")
        }
    }
}

/// The conflict versions of an item as one column; NULL when there are none.
enum ConflictColumn {
    static func encode(_ conflicts: [ConflictVersion]) -> Data? {
        guard !conflicts.isEmpty else { return nil }
        var writer = ByteWriter()
        writer.append(varint: UInt64(conflicts.count))
        for conflict in conflicts { encode(conflict, to: &writer) }
        return Data(writer.bytes)
    }

    private static func encode(_ conflict: ConflictVersion, to writer: inout ByteWriter) {
        writer.append(fixed: conflict.version.sequence.value)
        writer.append(fixed: conflict.version.index)
        writer.append(varint: conflict.content.size)
        let reference = conflict.content.reference
        writer.append(counted: reference?.digest.bytes ?? [])
        writer.append(byte: reference?.layout.rawValue ?? 0)
        writer.append(fixed: conflict.modified.nanoseconds)
        writer.append(fixed: conflict.author.value)
        writer.append(string: conflict.authorName)
        writer.append(counted: conflict.base?.bytes ?? [])
    }

    static func decode(_ data: Data?) throws -> [ConflictVersion] {
        guard let data else { return [] }
        do {
            var reader = ByteReader(data)
            let conflicts = try (0..<reader.count(minimumBytes: 30)).map { _ in try decode(&reader) }
            try reader.expectEnd()
            return conflicts
        } catch { throw MetadataError.damagedRow("conflict versions where \(error)") }
    }

    private static func decode(_ reader: inout ByteReader) throws -> ConflictVersion {
        let version = VersionID(sequence: LogSequence(try reader.fixed()), index: try reader.fixed())
        let size = try reader.varint()
        guard size <= UInt64(Int64.max) else { throw MetadataError.damagedRow("a size of \(size) bytes") }
        let digest = Digest(try reader.counted())
        let layout = ContentReference.Layout(rawValue: try reader.byte()) ?? .chunk
        let content = digest.map { FileContent.stored(ContentReference(digest: $0, size: size, layout: layout)) }
        return ConflictVersion(
            version: version, content: content ?? .announced(size: size),
            modified: Timestamp(nanoseconds: try reader.fixed()), author: DeviceID(try reader.fixed()),
            authorName: try reader.string(), base: Digest(try reader.counted()))
    }
}
