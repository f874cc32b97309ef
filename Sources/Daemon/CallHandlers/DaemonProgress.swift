package import DaemonProtocol
import Synchronization

/// The progress and problems that a daemon reports in its status.
package final class DaemonProgress: Sendable {
    /// The damage of the database that has been found so far.
    let damage = Mutex<DaemonFailure?>(nil)
    /// The running check; there is at most one.
    let check = Mutex<CheckStatus?>(nil)
    /// The running collection; there is at most one.
    let collection = Mutex<CollectionStatus?>(nil)
    /// The newest running command on many items.
    let work = Mutex<WorkStatus?>(nil)

    package init() {}

    /// Records damage of the database, which the status reports from now on.
    package func found(_ damage: DaemonFailure) { self.damage.withLock { $0 = damage } }
}
