import Basics
import CloudModel
import GRDB
import Synchronization

import struct Foundation.Data

/// How a ``LocalItem`` is stored in the table `local`: selection, values and decoding follow ``Column``.
extension LocalItem {
    /// The names of ``Column/stored``.
    static let columns = Column.stored.map { "\($0)" }

    static let selection = Column.allCases.map { "\($0)" }.joined(separator: ", ")

    static let insertion = insertion(of: columns)

    /// Inserts a row under a given node.
    static let numberedInsertion = insertion(of: ["\(Column.node)"] + columns)

    private static func insertion(of columns: [String]) -> String {
        """
        INSERT INTO local (\(columns.joined(separator: ", ")))
        VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))
        """
    }

    static let query = "SELECT \(selection) FROM local WHERE node = ?"
    static let queryByName = "SELECT \(selection) FROM local WHERE parent = ? AND name = ?"

    /// Returns the statement for setting these columns, given by their index in ``columns``, in that order.
    static func change(ofColumns indices: [Int]) -> String {
        let key = indices.reduce(into: UInt64(0)) { $0 |= 1 << UInt64($1) }
        return changes.withLock { changes in
            if let known = changes[key] { return known }
            let assignments = indices.map { "\(Self.columns[$0]) = ?" }.joined(separator: ", ")
            let statement = "UPDATE local SET \(assignments) WHERE node = ?"
            if changes.count < changesLimit { changes[key] = statement }
            return statement
        }
    }

    /// The statements by the bits of their columns. Programs' calls and the engine change a few dozen combinations.
    private static let changes = Mutex<[UInt64: String]>([:])
    private static let changesLimit = 256

    /// The values of ``columns``, in that order.
    var values: [ColumnValue] { Column.stored.map(value) }

    private func value(of column: Column) -> ColumnValue {
        switch column {
        case .node: .integer(Int64(bitPattern: node.value))
        case .container: .integer(container.value)
        case .item: .id(item)
        case .parent: .integer(Int64(bitPattern: parent.value))
        case .name: .bytes(name.bytes)
        case .kind: .integer(Int64(kind.rawValue))
        case .permissions: .integer(Int64(attributes.permissions))
        case .modified: .integer(attributes.modified.nanoseconds)
        case .changed: .integer(changed.nanoseconds)
        case .created: .integer(attributes.created.nanoseconds)
        case .accessed: .optional(accessed?.nanoseconds)
        case .user: .optional(user.map { Int64($0) })
        case .groupID: .optional(group.map { Int64($0) })
        case .extended: .some(ExtendedAttributes.encode(attributes.extended).map(Array.init) ?? [])
        case .target: .some(target)
        case .size: .integer(Int64(clamping: size))
        case .digest: content.map { .digest($0.digest) } ?? .null
        case .layout: .integer(Int64(content?.layout.rawValue ?? 0))
        case .presence: .integer(Int64(presence.rawValue))
        case .ranges: .some(ranges)
        case .generation: .integer(Int64(bitPattern: generation))
        case .isEdited: .flag(isEdited)
        case .isWriting: .flag(isWriting)
        case .isKnown: .flag(isKnown)
        case .isExcluded: .integer(Int64(exclusion.rawValue))
        case .isPaused: .flag(isPaused)
        case .pin: .integer(Int64(pin.rawValue))
        case .wanted: .integer(Int64(wanted))
        case .pendingSince: .optional(pendingSince?.nanoseconds)
        case .used: .integer(used.nanoseconds)
        case .downloadError: .optional(downloadError)
        case .uploadError: .optional(uploadError)
        case .conflictOf: conflict.map { .id($0.document) } ?? .null
        case .conflictSequence: .optional(conflict.map { Int64(bitPattern: $0.version.sequence.value) })
        case .conflictIndex: .optional(conflict.map { Int64($0.version.index) })
        }
    }
}

extension LocalItem: ColumnDecodable {
    init(columns: Columns, in transaction: MetadataTransaction) throws {
        try self.init(columns: columns)
        guard mayBePackage else { return }
        packageTypes = try transaction.local.packageTypes(of: container)
    }

    /// Whether it is a folder with an extension in its name, which most lack: its container's types decide whether it
    /// is a package.
    var mayBePackage: Bool { kind == .folder && item != .root && name.bytes.contains(UInt8(ascii: ".")) }

    init(columns: Columns) throws {
        let columns = NamedColumns<Column>(columns)
        let attributes = ItemAttributes(
            permissions: UInt16(truncatingIfNeeded: columns.integer(.permissions)),
            modified: Timestamp(nanoseconds: columns.integer(.modified)),
            created: Timestamp(nanoseconds: columns.integer(.created)),
            extended: try ExtendedAttributes.decode(columns.optionalData(.extended)))
        self.init(
            container: ContainerID(columns.integer(.container)), item: try ItemID(data: columns.data(.item)),
            parent: NodeID(columns.unsigned(.parent)), name: try columns.name(.name),
            kind: LocalKind(rawValue: UInt8(truncatingIfNeeded: columns.integer(.kind))) ?? .file,
            attributes: attributes, changed: Timestamp(nanoseconds: columns.integer(.changed)))
        node = NodeID(columns.unsigned(.node))
        accessed = columns.optionalInteger(.accessed).map(Timestamp.init(nanoseconds:))
        user = columns.optionalInteger(.user).map { UInt32(truncatingIfNeeded: $0) }
        group = columns.optionalInteger(.groupID).map { UInt32(truncatingIfNeeded: $0) }
        target = columns.bytes(.target)
        size = try columns.count(.size)
        content = try columns.content(digest: .digest, size: size, layout: .layout)
        try decodeState(columns)
    }

    /// Decodes the state of the item's content and of its sync.
    private mutating func decodeState(_ columns: NamedColumns<Column>) throws {
        presence = Presence(rawValue: UInt8(truncatingIfNeeded: columns.integer(.presence))) ?? .none
        ranges = columns.bytes(.ranges)
        generation = try columns.count(.generation)
        isEdited = columns.bool(.isEdited)
        isWriting = columns.bool(.isWriting)
        isKnown = columns.bool(.isKnown)
        exclusion = UInt8(exactly: columns.integer(.isExcluded)).flatMap(Exclusion.init) ?? .own
        isPaused = columns.bool(.isPaused)
        pin = PinState(rawValue: UInt8(truncatingIfNeeded: columns.integer(.pin))) ?? .inherited
        wanted = UInt8(truncatingIfNeeded: columns.integer(.wanted))
        pendingSince = columns.optionalInteger(.pendingSince).map(Timestamp.init(nanoseconds:))
        used = Timestamp(nanoseconds: columns.integer(.used))
        downloadError = columns.optionalText(.downloadError)
        uploadError = columns.optionalText(.uploadError)
        guard let document = columns.optionalData(.conflictOf) else { return }
        conflict = ConflictPlace(
            document: try ItemID(data: document),
            version: VersionID(
                sequence: LogSequence(columns.unsigned(.conflictSequence)),
                index: UInt32(truncatingIfNeeded: columns.integer(.conflictIndex))))
    }
}
