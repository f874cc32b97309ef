/// A condition on items of the mount that a database can evaluate from what it stores of one item: what a query's predicate is reduced to, so
/// that few items are read. The module that stores items translates it.
package indirect enum ItemCondition: Hashable, Sendable {
    case everything
    case nothing
    case all([ItemCondition])
    case any([ItemCondition])
    case not(ItemCondition)

    case isFolder
    /// A file with content that is not whole on this device.
    case isIncompleteFile
    /// A version in conflict of another item; not of a package.
    case isConflictVersion
    /// Has versions in conflict; a package by itself, without those of its files.
    case hasConflictVersions
    /// Has no change that the log does not show yet, and is not excluded from sync.
    case isSynced
    /// In bytes; of a folder 0.
    case size(NumberTest)
    /// Nanoseconds since 1970 UTC.
    case modified(NumberTest)
    /// Nanoseconds since 1970 UTC.
    case created(NumberTest)
    case name(NameTest)

    /// A test of a number.
    package enum NumberTest: Hashable, Sendable {
        case equal(Int64), notEqual(Int64), less(Int64), lessOrEqual(Int64), greater(Int64), greaterOrEqual(Int64)
        /// Both bounds are included.
        case between(Int64, Int64)
        case among([Int64])
    }

    /// A test of the bytes of a name.
    package enum NameTest: Hashable, Sendable {
        case among([[UInt8]])
        case endsWith([UInt8])
        case contains([UInt8])
    }

    /// The conjunction, or the disjunction, of conditions, in the simplest form.
    package static func joined(_ parts: [ItemCondition], requiringAll: Bool) -> ItemCondition {
        let (neutral, dominant) = requiringAll ? (everything, nothing) : (nothing, everything)
        let kept = parts.filter { $0 != neutral }
        if kept.contains(dominant) { return dominant }
        guard let first = kept.first else { return neutral }
        guard kept.count > 1 else { return first }
        return requiringAll ? .all(kept) : .any(kept)
    }
}
