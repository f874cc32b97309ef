import CloudModel
public import Foundation
public import GRDB
import Synchronization

extension Notification.Name {
    /// Posted by a ``UbiquitousDatabaseDocument`` when other devices have changed rows of its tables. The object is the
    /// document; `userInfo` has the ``UbiquitousChanges`` under ``UbiquitousDatabaseDocument/changesKey``, or nothing
    /// if another process of this device has changed rows. Posted on a thread of the library.
    public static let UbiquitousDatabaseDidImportChanges = Notification.Name("UbiquitousDatabaseDidImportChanges")
}

/// An open database document, either local or shared. Its name determines this permanently.
///
/// While a shared document is open and its container is mounted, it publishes commits at most once a second, and
/// imports changes as they arrive. Several processes may have it open; only one of them at a time publishes and
/// imports. Everything works offline, for any time; commits are sent later, even after the document was closed and
/// opened again.
///
/// ``UbiquitousDatabaseManager/open(_:)`` creates documents.
public final class UbiquitousDatabaseDocument: Sendable {
    public static let changesKey = "changes"

    private enum Content {
        case local(DatabasePool)
        case shared(UbiquitousDatabase)
    }

    public let title: String
    /// Lost values, conflicts and set-aside rows of a shared document; nil for a local document.
    public var database: UbiquitousDatabase? { if case .shared(let database) = content { database } else { nil } }
    public var isShared: Bool { name.isShared }
    /// Reads, and observes with GRDB. Write with ``write(_:)``.
    public var reader: any DatabaseReader {
        switch content {
        case .local(let pool): pool
        case .shared(let database): database.reader
        }
    }

    let name: PackageName
    private let package: DatabasePackage
    private let content: Content
    private let sync: DocumentSync?
    /// Nil once the document is closed.
    private let lock: Mutex<PackageLock?>

    init(
        _ name: PackageName, in package: DatabasePackage, schema: UbiquitousDatabaseSchema, lock: PackageLock,
        container: @escaping @Sendable () -> ContainerFolder?, environment: SyncEnvironment, events: DocumentEvents
    ) throws {
        (self.name, self.package) = (name, package)
        title = name.title
        self.lock = Mutex(lock)
        if let identifier = name.identifier {
            let database = try schema.open(package.database, identifier: identifier)
            content = .shared(database)
            sync = DocumentSync(
                database, name, package, rules: schema.rules, container: container, environment: environment,
                events: events)
        } else {
            content = .local(try schema.openLocal(package.database))
            sync = nil
        }
        sync?.begin(self)
    }

    deinit {
        // The last reference may end on the loop's own queue, which must not wait for itself. The connections end with
        // their last references.
        sync?.cancel()
    }

    /// Runs a transaction. Other connections, and other devices, see all of it or nothing.
    public func write<T>(_ updates: (Database) throws -> T) throws -> T {
        switch content {
        case .local(let pool): return try pool.write(updates)
        case .shared(let database):
            let result = try database.write(updates)
            sync?.noteCommit()
            return result
        }
    }

    /// Makes all commits durable, with the transaction file carrying them: once it returns, a power loss loses nothing.
    /// They are published within a second.
    public func save() throws {
        switch content {
        case .local(let pool): try pool.writeWithoutTransaction { _ = try $0.checkpoint(.full) }
        case .shared(let database):
            _ = try database.prepareFiles()
            sync?.noteCommit()
        }
    }

    /// Publishes and imports now, and returns the changes. An open document does both automatically.
    ///
    /// - Throws: ``UbiquitousDatabaseManagerError/unreachable`` without a container,
    ///   ``UbiquitousDatabaseManagerError/inUse(title:)`` while another process does the same, and the errors of
    ///   ``UbiquitousDatabase``.
    @discardableResult
    public func synchronize() throws -> UbiquitousChanges {
        guard let sync else { return UbiquitousChanges() }
        return try sync.synchronize()
    }

    /// Saves and closes the document. Later calls throw; a second `close` has no effect.
    public func close() throws {
        let held = lock.withLock { lock in
            defer { lock = nil }
            return lock
        }
        guard held != nil else { return }
        sync?.stop()
        // Even after a failure, such as a full disk: nothing else closes the file.
        let result = Result { try prepareToClose() }
        try closeContent()
        try result.get()
    }

    private func prepareToClose() throws {
        guard case .shared(let database) = content else { return }
        // Anything that cannot be written to the container now is written by the next document.
        try? sync?.publish()
        _ = try database.prepareFiles()
        try package.noteUnconfirmed(database.hasUnconfirmed())
    }

    private func closeContent() throws {
        switch content {
        case .local(let pool): try pool.close()
        case .shared(let database): try database.close()
        }
    }

    var isOpen: Bool { lock.withLock { $0 != nil } }

    /// Waits until all due work is done. For tests.
    func drain() { sync?.drain() }

    /// The container may be available again.
    func noteReachable() { sync?.noteReachable() }
}

/// Receives a document's events. Called on threads of the library.
struct DocumentEvents: Sendable {
    /// Nil: another process of this device has changed rows.
    var changed: @Sendable (UbiquitousDatabaseDocument, UbiquitousChanges?) -> Void = { _, _ in }
    var failed: @Sendable (UbiquitousDatabaseDocument, any Error) -> Void = { _, _ in }
}
