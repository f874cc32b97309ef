import Basics
import CloudModel
import GRDB

import struct Foundation.Data

/// How a ``LocalItem`` stands in the table `local`. The order of ``columns`` is the order of ``values`` and of ``init(row:)``.
extension LocalItem {
    static let columns = [
        "container", "item", "parent", "name", "kind", "permissions", "modified", "changed", "created", "accessed",
        "user", "groupID", "extended", "target", "size", "digest", "layout", "presence", "ranges", "generation",
        "isEdited", "isWriting", "isKnown", "isExcluded", "isPaused", "pin", "wanted", "pendingSince", "used",
        "downloadError", "uploadError", "conflictOf", "conflictSequence", "conflictIndex",
    ]

    static let selection = "node, " + columns.joined(separator: ", ")

    static let insertion = """
        INSERT INTO local (\(columns.joined(separator: ", ")))
        VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))
        """

    static let query = "SELECT \(selection) FROM local WHERE node = ?"

    /// Sets these columns, in that order.
    static func change(ofColumns indices: [Int]) -> String {
        "UPDATE local SET \(indices.map { "\(columns[$0]) = ?" }.joined(separator: ", ")) WHERE node = ?"
    }

    var values: [ColumnValue] {
        [
            .integer(container.value), .id(item), .integer(Int64(bitPattern: parent.value)), .bytes(name.bytes),
            .integer(Int64(kind.rawValue)), .integer(Int64(attributes.permissions)),
            .integer(attributes.modified.nanoseconds), .integer(changed.nanoseconds),
            .integer(attributes.created.nanoseconds), .optional(accessed?.nanoseconds),
            .optional(user.map { Int64($0) }), .optional(group.map { Int64($0) }),
            .some(ExtendedAttributes.encode(attributes.extended).map(Array.init) ?? []), .some(target),
            .integer(Int64(clamping: size)),
            content.map { .digest($0.digest) } ?? .null, .integer(Int64(content?.layout.rawValue ?? 0)),
            .integer(Int64(presence.rawValue)), .some(ranges), .integer(Int64(bitPattern: generation)),
            .flag(isEdited), .flag(isWriting), .flag(isKnown), .flag(isExcluded), .flag(isPaused),
            .integer(Int64(pin.rawValue)), .integer(Int64(wanted)), .optional(pendingSince?.nanoseconds),
            .integer(used.nanoseconds), .optional(downloadError), .optional(uploadError),
            conflict.map { .id($0.document) } ?? .null,
            .optional(conflict.map { Int64(bitPattern: $0.version.sequence.value) }),
            .optional(conflict.map { Int64($0.version.index) }),
        ]
    }

    init(row: Columns) throws {
        let name = try ItemName(row: row, 4)
        let attributes = ItemAttributes(
            permissions: UInt16(truncatingIfNeeded: row[6] as Int64), modified: Timestamp(nanoseconds: row[7]),
            created: Timestamp(nanoseconds: row[9]), extended: try ExtendedAttributes.decode(row[13]))
        self.init(
            container: ContainerID(row[1]), item: try ItemID(row: row, 2),
            parent: NodeID(UInt64(bitPattern: row[3])), name: name,
            kind: LocalKind(rawValue: UInt8(truncatingIfNeeded: row[5] as Int64)) ?? .file, attributes: attributes,
            changed: Timestamp(nanoseconds: row[8]))
        node = NodeID(UInt64(bitPattern: row[0]))
        accessed = (row[10] as Int64?).map(Timestamp.init(nanoseconds:))
        user = (row[11] as Int64?).map { UInt32(truncatingIfNeeded: $0) }
        group = (row[12] as Int64?).map { UInt32(truncatingIfNeeded: $0) }
        target = row.bytes(14)
        size = UInt64(row[15] as Int64)
        content = try ContentReference(row: row, digest: 16, size: size, layout: 17)
        presence = Presence(rawValue: UInt8(truncatingIfNeeded: row[18] as Int64)) ?? .none
        ranges = row.bytes(19)
        generation = UInt64(bitPattern: row[20])
        isEdited = row[21]
        isWriting = row[22]
        isKnown = row[23]
        isExcluded = row[24]
        isPaused = row[25]
        pin = PinState(rawValue: UInt8(truncatingIfNeeded: row[26] as Int64)) ?? .inherited
        wanted = UInt8(truncatingIfNeeded: row[27] as Int64)
        pendingSince = (row[28] as Int64?).map(Timestamp.init(nanoseconds:))
        used = Timestamp(nanoseconds: row[29])
        downloadError = row[30]
        uploadError = row[31]
        if let document = row[32] as Data?, let sequence = row[33] as Int64?, let index = row[34] as Int64? {
            conflict = ConflictPlace(
                document: try ItemID(data: document),
                version: VersionID(
                    sequence: LogSequence(UInt64(bitPattern: sequence)), index: UInt32(truncatingIfNeeded: index)))
        }
    }
}
