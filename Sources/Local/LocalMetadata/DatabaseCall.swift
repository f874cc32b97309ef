/// What a database is about to do to the disk, or has just done.
package enum DatabaseCall: Sendable {
    case commit
    case committed
    case sync
}
