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
}

extension LocalItem: ColumnDecodable {
    init(columns: Columns, in transaction: MetadataTransaction) throws {
        try self.init(columns: columns)
        // Most folders have no extension, and need not be asked about.
        guard kind == .folder, item != .root, name.bytes.contains(UInt8(ascii: ".")) else { return }
        packageTypes = try transaction.packageTypes(of: container)
    }

    init(columns: Columns) throws {
        let attributes = ItemAttributes(
            permissions: UInt16(truncatingIfNeeded: columns.integer(6)),
            modified: Timestamp(nanoseconds: columns.integer(7)), created: Timestamp(nanoseconds: columns.integer(9)),
            extended: try ExtendedAttributes.decode(columns.optionalData(13)))
        self.init(
            container: ContainerID(columns.integer(1)), item: try ItemID(data: columns.data(2)),
            parent: NodeID(columns.unsigned(3)), name: try columns.name(4),
            kind: LocalKind(rawValue: UInt8(truncatingIfNeeded: columns.integer(5))) ?? .file, attributes: attributes,
            changed: Timestamp(nanoseconds: columns.integer(8)))
        node = NodeID(columns.unsigned(0))
        accessed = columns.optionalInteger(10).map(Timestamp.init(nanoseconds:))
        user = columns.optionalInteger(11).map { UInt32(truncatingIfNeeded: $0) }
        group = columns.optionalInteger(12).map { UInt32(truncatingIfNeeded: $0) }
        target = columns.bytes(14)
        size = try columns.count(15)
        content = try columns.content(digest: 16, size: size, layout: 17)
        try decodeState(columns)
    }

    /// How far its content and its sync are.
    private mutating func decodeState(_ columns: Columns) throws {
        presence = Presence(rawValue: UInt8(truncatingIfNeeded: columns.integer(18))) ?? .none
        ranges = columns.bytes(19)
        generation = try columns.count(20)
        isEdited = columns.bool(21)
        isWriting = columns.bool(22)
        isKnown = columns.bool(23)
        isExcluded = columns.bool(24)
        isPaused = columns.bool(25)
        pin = PinState(rawValue: UInt8(truncatingIfNeeded: columns.integer(26))) ?? .inherited
        wanted = UInt8(truncatingIfNeeded: columns.integer(27))
        pendingSince = columns.optionalInteger(28).map(Timestamp.init(nanoseconds:))
        used = Timestamp(nanoseconds: columns.integer(29))
        downloadError = columns.optionalText(30)
        uploadError = columns.optionalText(31)
        guard let document = columns.optionalData(32) else { return }
        conflict = ConflictPlace(
            document: try ItemID(data: document),
            version: VersionID(
                sequence: LogSequence(columns.unsigned(33)), index: UInt32(truncatingIfNeeded: columns.integer(34))))
    }
}
