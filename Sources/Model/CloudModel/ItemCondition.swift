/// A condition on items of the mount, for a database to evaluate from the stored columns of a single item. A query's
/// predicate is reduced to it, so that few items are read. The module that stores items translates it.
package indirect enum ItemCondition: Hashable, Sendable {
    case everything
    case nothing
    case all([ItemCondition])
    case any([ItemCondition])
    case not(ItemCondition)

    case isFolder
    /// A file whose content is incomplete on this device.
    case isIncompleteFile
    /// An item's conflict version; not of a package.
    case isConflictVersion
    /// An item with conflict versions; for a package those of the package, not of its files.
    case hasConflictVersions
    /// An item without changes missing from the log, and not excluded from sync.
    case isSynced
    /// The size in bytes; 0 for a folder.
    case size(NumberTest)
    /// The modification time in nanoseconds since 1970 UTC.
    case modified(NumberTest)
    /// The creation time in nanoseconds since 1970 UTC.
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

    /// Returns the conjunction or the disjunction of conditions, in the simplest form.
    package static func joined(_ parts: [ItemCondition], requiringAll: Bool) -> ItemCondition {
        let (neutral, dominant) = requiringAll ? (everything, nothing) : (nothing, everything)
        let kept = parts.filter { $0 != neutral }
        if kept.contains(dominant) { return dominant }
        guard let first = kept.first else { return neutral }
        guard kept.count > 1 else { return first }
        return requiringAll ? .all(kept) : .any(kept)
    }
}
