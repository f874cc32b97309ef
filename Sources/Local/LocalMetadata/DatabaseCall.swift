/// A disk call that a database is about to make, or has just made.
package enum DatabaseCall: Sendable {
    case commit
    case committed
    case sync
}
