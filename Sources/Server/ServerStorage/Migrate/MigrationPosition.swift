import Foundation

/// The data at the target of a migration. Everything before is durable there.
enum MigrationPosition: Hashable, Sendable, Codable {
    /// The rows of earlier tables, and those of `table` up to the one with the key `after`.
    case rows(table: String, after: [StorageValue]?)
    /// All rows. They have not been compared with the source's.
    case compared
    /// All rows, equal to the source's, and the bytes of chunks up to this one.
    case chunks(container: Int64, after: Data)
    /// All bytes; those of chunks up to this one were found in the target's place for chunks afterwards.
    case verified(container: Int64, through: Data)
    case complete
}
