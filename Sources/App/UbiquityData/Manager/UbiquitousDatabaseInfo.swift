/// A database document in a manager's list.
public struct UbiquitousDatabaseInfo: Hashable, Sendable {
    public enum State: String, Hashable, Sendable {
        /// On this device only.
        case local
        /// Shared, on this device and in the cloud.
        case current
        /// Shared, and the cloud does not have it yet.
        case new
        /// In the cloud; this device's copy is being made, and can be opened when it is complete.
        case building
        /// It is becoming a shared one, or one of this device only.
        case moving
        /// Another device removes it, or moves it out of the cloud.
        case leaving
        /// The device is signed out, or nothing is mounted. It can be opened and written.
        case unreachable
        /// The cloud does not have it, and no device has removed it: it belongs to another account, or the cloud is not complete here yet.
        /// It can be opened and written.
        case missing
    }

    /// What people see. Two shared databases may have one title.
    public let title: String
    /// The ``UbiquitousDatabase/identifier`` of a shared one; nil for one of this device only.
    public let identifier: String?
    public let state: State

    public var isShared: Bool { identifier != nil }

    init(_ name: PackageName, _ state: State) {
        (title, identifier, self.state) = (name.title, name.identifier, state)
    }

    var name: PackageName? { PackageName(title: title, identifier: identifier) }
}

/// A database that other devices have removed, or that was rebuilt, with what only this device has. It is no document any more; nothing
/// removes it but ``UbiquitousDatabaseManager/discard(_:)``.
public struct UbiquitousKeptDatabase: Hashable, Sendable {
    public let title: String
    /// Of the database that it was a copy of.
    public let identifier: String
    /// The SQLite file.
    public let path: String

    let folder: String
}
