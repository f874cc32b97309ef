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

    init(row: Row) throws {
        let size = UInt64(clamping: row[11] as Int64)
        let body: ItemBody
        switch ItemKind(rawValue: UInt8(truncatingIfNeeded: row[5] as Int64)) {
        case .folder: body = .folder
        case .symlink: body = .symlink(target: (row[10] as Data?).map(Array.init) ?? [])
        case .file:
            let reference = try ContentReference(row: row, digest: 12, size: size, layout: 13)
            body = .file(reference.map(FileContent.stored) ?? .announced(size: size))
        case nil: throw MetadataError.damagedRow("an unknown kind of item")
        }
        self.init(
            id: try ItemID(row: row, 1), parent: try ItemID(row: row, 2), name: try ItemName(row: row, 3),
            attributes: ItemAttributes(
                permissions: UInt16(truncatingIfNeeded: row[6] as Int64), modified: Timestamp(nanoseconds: row[7]),
                created: Timestamp(nanoseconds: row[8]), extended: try ExtendedAttributes.decode(row[9])),
            body: body,
            version: VersionID(
                sequence: LogSequence(UInt64(bitPattern: row[14])), index: UInt32(truncatingIfNeeded: row[15] as Int64)),
            author: DeviceID(UInt64(bitPattern: row[16])), authorName: row[17],
            conflicts: try ConflictColumn.decode(row[19]), isDeleted: row[18])
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
        let digest = Digest(try reader.counted())
        let layout = ContentReference.Layout(rawValue: try reader.byte()) ?? .chunk
        let content = digest.map { FileContent.stored(ContentReference(digest: $0, size: size, layout: layout)) }
        return ConflictVersion(
            version: version, content: content ?? .announced(size: size),
            modified: Timestamp(nanoseconds: try reader.fixed()), author: DeviceID(try reader.fixed()),
            authorName: try reader.string(), base: Digest(try reader.counted()))
    }
}
