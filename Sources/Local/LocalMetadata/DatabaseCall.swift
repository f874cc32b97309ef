/// A call that a database is about to make to the disk, or has just made.
package enum DatabaseCall: Sendable {
    case commit
    case committed
    case sync
}
