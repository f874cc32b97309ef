import Basics

/// What all stores have in common: the database with their rows, and a clock.
///
/// Each SQL statement is in the store of the noun whose rows it reads or changes first. Code that takes part in a transaction of another
/// store is a static function that receives the transaction.
protocol NounStore: Sendable {
    var database: any StorageDatabase { get }
    var time: any TimeSource { get }
}

extension NounStore {
    /// Seconds since 1970 UTC.
    func now() -> Int64 { time.now().split.seconds }
}
