import CloudModel
import Dispatch

/// External dependencies of document and manager loops; tests pass their own.
struct SyncEnvironment: Sendable {
    /// The time since any fixed moment.
    var now: @Sendable () -> Duration
    /// Runs a function after a time.
    var after: @Sendable (Duration, @escaping @Sendable () -> Void) -> Void
    var observer: @Sendable (@escaping @Sendable () -> Void) -> any FolderObserving
    /// Returns a file's version in the log; nil while it is missing there.
    var version: @Sendable (String) throws -> VersionID?
    /// Called before each durable step of a manager; a test simulates a crash there.
    var step: @Sendable (ManagerStep) throws -> Void = { _ in }

    static let system: SyncEnvironment = {
        let start = ContinuousClock.now
        return SyncEnvironment(
            now: { ContinuousClock.now - start },
            after: { delay, body in
                let (seconds, attoseconds) = max(.zero, delay).components
                let nanoseconds = Double(seconds) * 1e9 + Double(attoseconds) / 1e9
                DispatchQueue.global(qos: .utility).asyncAfter(
                    deadline: .now() + .nanoseconds(Int(min(nanoseconds, 1e15))), execute: body)
            },
            observer: { FolderObserver(onChange: $0) },
            version: RecordFolder.attribute)
    }()
}

/// A manager's durable steps, at which a device may die.
enum ManagerStep: String, CaseIterable, Sendable {
    case storeState, makeCopy, showCopy, removeSource, markDeparting, markRemoved, leaveDocuments, removeFolder
    case removePackage, keepPackage, announce, showBuilt
}
