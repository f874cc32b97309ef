/// Notified by a ``UbiquitousDatabaseManager``, on a queue of the manager, in order. All methods have empty defaults.
public protocol UbiquitousDatabaseManagerDelegate: AnyObject, Sendable {
    /// The list, or the state of a database in it, has changed.
    func manager(_ manager: UbiquitousDatabaseManager, didChange databases: [UbiquitousDatabaseInfo])
    /// A person has to decide; pass the choice to ``UbiquitousDatabaseManager/answer(_:)``.
    func manager(_ manager: UbiquitousDatabaseManager, asks question: UbiquitousCloudQuestion)
    /// A database has become shared or local, as shown by `database`; `error` is the reason if it could not. It is
    /// retried if the database is still `moving`.
    func manager(
        _ manager: UbiquitousDatabaseManager, fileMigrated database: UbiquitousDatabaseInfo, error: (any Error)?)
    /// A database shared by a peer can now be opened.
    func manager(_ manager: UbiquitousDatabaseManager, didAdd database: UbiquitousDatabaseInfo)
    /// A peer has removed a database, and the local copy is gone.
    func manager(_ manager: UbiquitousDatabaseManager, didRemove database: UbiquitousDatabaseInfo)
    /// A database is no longer among the documents, and only this device has some of its changes.
    func manager(_ manager: UbiquitousDatabaseManager, didKeep database: UbiquitousKeptDatabase)
    /// Whether the cloud can be reached. Shared databases stay on this device, and can be written, in either case.
    func manager(_ manager: UbiquitousDatabaseManager, cloudIsReachable: Bool)
    /// Something failed and is retried; consecutive repetitions of a message are not reported.
    func manager(_ manager: UbiquitousDatabaseManager, didFail error: any Error, for database: UbiquitousDatabaseInfo?)
    /// Other devices have changed rows of an open document; nil: another process of this device has.
    func document(_ document: UbiquitousDatabaseDocument, didImport changes: UbiquitousChanges?)
}

extension UbiquitousDatabaseManagerDelegate {
    public func manager(_ manager: UbiquitousDatabaseManager, didChange databases: [UbiquitousDatabaseInfo]) {}
    public func manager(_ manager: UbiquitousDatabaseManager, asks question: UbiquitousCloudQuestion) {}
    public func manager(
        _ manager: UbiquitousDatabaseManager, fileMigrated database: UbiquitousDatabaseInfo, error: (any Error)?
    ) {}
    public func manager(_ manager: UbiquitousDatabaseManager, didAdd database: UbiquitousDatabaseInfo) {}
    public func manager(_ manager: UbiquitousDatabaseManager, didRemove database: UbiquitousDatabaseInfo) {}
    public func manager(_ manager: UbiquitousDatabaseManager, didKeep database: UbiquitousKeptDatabase) {}
    public func manager(_ manager: UbiquitousDatabaseManager, cloudIsReachable: Bool) {}
    public func manager(
        _ manager: UbiquitousDatabaseManager, didFail error: any Error, for database: UbiquitousDatabaseInfo?
    ) {}
    public func document(_ document: UbiquitousDatabaseDocument, didImport changes: UbiquitousChanges?) {}
}

/// A manager's events, for its delegate.
enum ManagerEvent: Sendable {
    case asks(UbiquitousCloudQuestion)
    case migrated(UbiquitousDatabaseInfo, (any Error)?)
    case added(UbiquitousDatabaseInfo)
    case removed(UbiquitousDatabaseInfo)
    case kept(UbiquitousKeptDatabase)
    case reachable(Bool)
    case failed(any Error, UbiquitousDatabaseInfo?)
}
