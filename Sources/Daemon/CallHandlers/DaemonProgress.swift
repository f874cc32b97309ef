package import DaemonProtocol
import Synchronization

/// A daemon's progress and problems, for its status.
package final class DaemonProgress: Sendable {
    /// The database's damage found so far.
    let damage = Mutex<DaemonFailure?>(nil)
    /// The running check; there is at most one.
    let check = Mutex<CheckStatus?>(nil)
    /// The running collection; there is at most one.
    let collection = Mutex<CollectionStatus?>(nil)
    /// The newest running command on many items.
    let work = Mutex<WorkStatus?>(nil)

    package init() {}

    /// Records damage to the database, included in the status from now on.
    package func found(_ damage: DaemonFailure) { self.damage.withLock { $0 = damage } }
}
