import DaemonProtocol
import Synchronization

/// What a daemon reports about itself in its status.
final class DaemonProgress: Sendable {
    /// What is wrong with the database, as far as it was checked.
    let damage = Mutex<DaemonFailure?>(nil)
    /// The check that runs; one at a time.
    let check = Mutex<CheckStatus?>(nil)
    /// The newest work on many items that runs.
    let work = Mutex<WorkStatus?>(nil)
}
