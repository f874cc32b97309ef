import Basics
import CloudModel
import ContainerLog
import GRDB

import struct Foundation.Data

/// How a ``CloudItem`` is stored in the tables `remote` and `synced`: selection, values and decoding follow ``Column``.
extension CloudItem {
    static let selection = Column.allCases.map { "\($0)" }.joined(separator: ", ")
    static let query = "SELECT \(selection) FROM remote WHERE container = ? AND item = ?"
    static let insertion = "INSERT OR REPLACE INTO remote (\(selection)) VALUES (\(placeholders))"
    static let placeholders = Column.allCases.map { _ in "?" }.joined(separator: ", ")

    /// Returns the values of the columns, in the order of ``Column``.
    func values(in container: ContainerID, key: NameKey) -> StatementValues {
        Column.allCases.map { value(of: $0, in: container, key) }
    }

    private func value(
        of column: Column, in container: ContainerID, _ key: NameKey
    ) -> (any ColumnBindable)? {
        switch column {
        case .container: container.value
        case .item: id.data
        case .parent: parent.data
        case .name: name.data
        case .nameKey: Data(key.bytes)
        case .kind: Int64(body.kind.rawValue)
        case .permissions: Int64(attributes.permissions)
        case .modified: attributes.modified.nanoseconds
        case .created: attributes.created.nanoseconds
        case .extended: ExtendedAttributes.encode(attributes.extended)
        case .target: if case .symlink(let path) = body { Data(path) } else { nil }
        case .size: Int64(clamping: body.content?.size ?? 0)
        case .digest: body.content?.reference.map(\.digest.data)
        case .layout: Int64(body.content?.reference?.layout.rawValue ?? 0)
        case .sequence: Int64(bitPattern: version.sequence.value)
        case .changeIndex: Int64(version.index)
        case .author: Int64(bitPattern: author.value)
        case .authorName: authorName
        case .isDeleted: isDeleted
        case .conflicts: ConflictColumn.encode(conflicts)
        }
    }
}

extension CloudItem: ColumnDecodable {
    init(columns: Columns) throws {
        let columns = NamedColumns<Column>(columns)
        self.init(
            id: try ItemID(data: columns.data(.item)), parent: try ItemID(data: columns.data(.parent)),
            name: try columns.name(.name),
            attributes: ItemAttributes(
                permissions: UInt16(truncatingIfNeeded: columns.integer(.permissions)),
                modified: Timestamp(nanoseconds: columns.integer(.modified)),
                created: Timestamp(nanoseconds: columns.integer(.created)),
                extended: try ExtendedAttributes.decode(columns.optionalData(.extended))),
            body: try Self.body(columns),
            version: VersionID(
                sequence: LogSequence(columns.unsigned(.sequence)),
                index: UInt32(truncatingIfNeeded: columns.integer(.changeIndex))),
            author: DeviceID(columns.unsigned(.author)), authorName: columns.text(.authorName),
            conflicts: try ConflictColumn.decode(columns.optionalData(.conflicts)),
            isDeleted: columns.bool(.isDeleted))
    }

    private static func body(_ columns: NamedColumns<Column>) throws -> ItemBody {
        switch ItemKind(rawValue: UInt8(truncatingIfNeeded: columns.integer(.kind))) {
        case .folder: return .folder
        case .symlink: return .symlink(target: columns.bytes(.target))
        case .file:
            let size = try columns.count(.size)
            let reference = try columns.content(digest: .digest, size: size, layout: .layout)
            return .file(reference.map(FileContent.stored) ?? .announced(size: size))
        case nil: throw MetadataError.damagedRow("an unknown kind of item")
        }
    }
}

/// Encodes an item's conflict versions as a column; NULL if there are none.
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
