import Basics

/// The common parts of all stores: the database with their rows, and a clock.
///
/// Each SQL statement is in the store of the noun whose rows it reads or changes first. To take part in a different
/// store's transaction, code is a static function receiving that transaction.
protocol NounStore: Sendable {
    var database: any StorageDatabase { get }
    var time: any TimeSource { get }
}

extension NounStore {
    /// Seconds since 1970 UTC.
    func now() -> Int64 { time.now().split.seconds }
}
