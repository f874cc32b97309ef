import struct Foundation.Data

extension LocalItem {
    /// The columns of the table `local`, under their names and in the order of ``selection``; the raw value is the index there.
    enum Column: Int, CaseIterable {
        case node
        case container, item, parent, name, kind
        case permissions, modified, changed, created, accessed, user, groupID, extended
        case target, size, digest, layout, presence, ranges, generation
        case isEdited, isWriting, isKnown, isExcluded, isPaused, pin, wanted, pendingSince, used
        case downloadError, uploadError
        case conflictOf, conflictSequence, conflictIndex

        /// Those that a program of ours sets; SQLite numbers the nodes.
        static let stored = Array(allCases.dropFirst())
    }
}

extension Columns {
    func integer(_ column: LocalItem.Column) -> Int64 { integer(column.rawValue) }
    func optionalInteger(_ column: LocalItem.Column) -> Int64? { optionalInteger(column.rawValue) }
    func unsigned(_ column: LocalItem.Column) -> UInt64 { unsigned(column.rawValue) }
    func bool(_ column: LocalItem.Column) -> Bool { bool(column.rawValue) }
    func data(_ column: LocalItem.Column) -> Data { data(column.rawValue) }
    func optionalData(_ column: LocalItem.Column) -> Data? { optionalData(column.rawValue) }
    func bytes(_ column: LocalItem.Column) -> [UInt8] { bytes(column.rawValue) }
    func optionalText(_ column: LocalItem.Column) -> String? { optionalText(column.rawValue) }
    func count(_ column: LocalItem.Column) throws -> UInt64 { try count(column.rawValue) }
}
