import Basics

/// What all stores have: the database in which they keep their rows, and a clock.
///
/// Each SQL statement is in the store of the noun whose rows it reads or changes first. What takes part in a transaction of another store is
/// a static function that receives the transaction.
protocol NounStore: Sendable {
    var database: any StorageDatabase { get }
    var time: any TimeSource { get }
}

extension NounStore {
    /// Seconds since 1970 UTC.
    func now() -> Int64 { time.now().split.seconds }
}
