/// Notified by a ``UbiquitousDatabaseManager``, on a queue of the manager, in order. Every method has a default that does nothing.
public protocol UbiquitousDatabaseManagerDelegate: AnyObject, Sendable {
    /// The list, or the state of a database in it, has changed.
    func manager(_ manager: UbiquitousDatabaseManager, didChange databases: [UbiquitousDatabaseInfo])
    /// A person has to decide; pass the choice to ``UbiquitousDatabaseManager/answer(_:)``.
    func manager(_ manager: UbiquitousDatabaseManager, asks question: UbiquitousCloudQuestion)
    /// A database has become a shared one, or one of this device only, as `database` says; `error` is why it could not. It is retried if the
    /// database is still `moving`.
    func manager(
        _ manager: UbiquitousDatabaseManager, fileMigrated database: UbiquitousDatabaseInfo, error: (any Error)?)
    /// A database that another device shared can be opened here.
    func manager(_ manager: UbiquitousDatabaseManager, didAdd database: UbiquitousDatabaseInfo)
    /// A database was removed by another device, and its copy here is gone.
    func manager(_ manager: UbiquitousDatabaseManager, didRemove database: UbiquitousDatabaseInfo)
    /// A database is no longer among the documents, and this device has something of it that no other one has.
    func manager(_ manager: UbiquitousDatabaseManager, didKeep database: UbiquitousKeptDatabase)
    /// Whether the cloud can be reached. What is shared stays on this device, and can be written, in either case.
    func manager(_ manager: UbiquitousDatabaseManager, cloudIsReachable: Bool)
    /// Something failed that is tried again; each message is reported once in a row.
    func manager(_ manager: UbiquitousDatabaseManager, didFail error: any Error, for database: UbiquitousDatabaseInfo?)
    /// Rows of an open document have changed because of other devices; nil: because of another process of this one.
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

/// What happened in a manager, for its delegate.
enum ManagerEvent: Sendable {
    case asks(UbiquitousCloudQuestion)
    case migrated(UbiquitousDatabaseInfo, (any Error)?)
    case added(UbiquitousDatabaseInfo)
    case removed(UbiquitousDatabaseInfo)
    case kept(UbiquitousKeptDatabase)
    case reachable(Bool)
    case failed(any Error, UbiquitousDatabaseInfo?)
}
