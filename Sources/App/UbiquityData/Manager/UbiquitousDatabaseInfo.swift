/// A database document in a manager's list.
public struct UbiquitousDatabaseInfo: Hashable, Sendable {
    public enum State: String, Hashable, Sendable {
        /// On this device only.
        case local
        /// Shared, on this device and in the cloud.
        case current
        /// Shared, and the cloud does not have it yet.
        case new
        /// In the cloud; this device's copy is being built, and can be opened when it is complete.
        case building
        /// It is becoming shared or local.
        case moving
        /// A peer removes it, or moves it out of the cloud.
        case leaving
        /// The device is signed out, or nothing is mounted. It can be opened and written.
        case unreachable
        /// The cloud does not have it, and no device has removed it: it belongs to a different account, or the cloud is
        /// not complete on this device yet. It can be opened and written.
        case missing
    }

    /// The name shown to people. Two shared databases may have the same title.
    public let title: String
    /// A shared database's ``UbiquitousDatabase/identifier``; nil for a local database.
    public let identifier: String?
    public let state: State

    public var isShared: Bool { identifier != nil }

    init(_ name: PackageName, _ state: State) {
        (title, identifier, self.state) = (name.title, name.identifier, state)
    }

    var name: PackageName? { PackageName(title: title, identifier: identifier) }
}

/// A database removed remotely or rebuilt, with changes only this device has. It is no longer a document; only
/// ``UbiquitousDatabaseManager/discard(_:)`` removes it.
public struct UbiquitousKeptDatabase: Hashable, Sendable {
    public let title: String
    /// Identifies the original database.
    public let identifier: String
    /// The SQLite file.
    public let path: String

    let folder: String
}
