/// A column's value, in SQLite's five storage classes.
///
/// Text is kept as its bytes: SQLite compares texts by bytes, and may hold invalid UTF-8.
package enum RecordValue: Hashable, Comparable, Sendable {
    case null
    case integer(Int64)
    /// Never NaN, stored by SQLite as NULL, and never −0.0, stored as 0.0: see ``number(_:)``.
    case real(Double)
    case text([UInt8])
    case blob([UInt8])

    /// An array hashes each byte separately.
    package func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .integer(let number):
            hasher.combine(1)
            hasher.combine(number)
        case .real(let number):
            hasher.combine(2)
            hasher.combine(number)
        case .text(let bytes):
            hasher.combine(3)
            Self.combine(bytes, into: &hasher)
        case .blob(let bytes):
            hasher.combine(4)
            Self.combine(bytes, into: &hasher)
        }
    }

    private static func combine(_ bytes: [UInt8], into hasher: inout Hasher) {
        hasher.combine(bytes.count)
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }

    package static func text(_ string: String) -> RecordValue { .text(Array(string.utf8)) }

    /// Returns a number as stored by SQLite.
    package static func number(_ value: Double) -> RecordValue { value.isNaN ? .null : .real(value == 0 ? 0 : value) }

    /// The order of SQLite's ORDER BY: numbers precede texts and texts precede blobs. An integer precedes an equal real
    /// number.
    package static func < (left: RecordValue, right: RecordValue) -> Bool {
        switch (left, right) {
        case (.integer(let one), .integer(let two)): return one < two
        case (.real(let one), .real(let two)): return one < two
        case (.integer(let one), .real(let two)): return Double(one) <= two
        case (.real(let one), .integer(let two)): return one < Double(two)
        case (.text(let one), .text(let two)), (.blob(let one), .blob(let two)):
            return one.lexicographicallyPrecedes(two)
        default: return left.rank < right.rank
        }
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .integer, .real: 1
        case .text: 2
        case .blob: 3
        }
    }
}
