import CloudModel
import Foundation

/// A program's operations on its databases.
extension UbiquitousDatabaseManager {
    // MARK: The list

    /// Returns local and shared databases, including those shared by peers.
    public func databases() throws -> [UbiquitousDatabaseInfo] { try perform { try $0.list() } }

    /// Returns removed or rebuilt databases, with the changes only this device has.
    public func keptDatabases() throws -> [UbiquitousKeptDatabase] { try files.kept() }

    // MARK: Documents

    /// Creates a database, with the rows of ``UbiquitousDatabaseSchema/seed``. Whether it is shared cannot be changed;
    /// a move creates a new database.
    ///
    /// - Parameter isShared: Nil follows the preference about the cloud. A shared database can be created while the
    ///   cloud is unreachable.
    @discardableResult
    public func create(_ title: String, isShared: Bool? = nil) throws -> UbiquitousDatabaseInfo {
        try perform { session in
            let isShared = isShared ?? (session.state.preference.isOn == true)
            let identifier = isShared ? ItemID.random().description : nil
            guard let name = PackageName(title: title, identifier: identifier) else {
                throw UbiquitousDatabaseManagerError.badTitle(title)
            }
            try session.create(name)
            return try session.info(name)
        }
    }

    /// Opens a database, possibly in several documents and processes at the same time.
    public func open(_ info: UbiquitousDatabaseInfo) throws -> UbiquitousDatabaseDocument {
        try perform { session in
            guard let name = info.name else { throw UbiquitousDatabaseManagerError.notFound(title: info.title) }
            return try open(name, &session)
        }
    }

    func open(_ name: PackageName, _ session: inout ManagerSession) throws -> UbiquitousDatabaseDocument {
        guard files.has(name) else {
            let isBuilding = try session.list().contains { $0.name == name && $0.state == .building }
            throw isBuilding
                ? UbiquitousDatabaseManagerError.building(title: name.title)
                : UbiquitousDatabaseManagerError.notFound(title: name.title)
        }
        // A database leaving the cloud can be written until the log records it; a database becoming shared
        // is being copied.
        let isClosed = session.state.moves.compactMap(\.names).contains { move in
            move.target == name || (move.source == name && !name.isShared)
        }
        guard !isClosed else { throw UbiquitousDatabaseManagerError.moving(title: name.title) }
        let package = files.package(name)
        guard let lock = try PackageLock.take(package.lock, .shared) else {
            throw UbiquitousDatabaseManagerError.inUse(title: name.title)
        }
        let document = try UbiquitousDatabaseDocument(
            name, in: package, schema: schema, lock: lock, container: container,
            environment: environment, events: documentEvents)
        open.add(document)
        return document
    }

    /// Opens the only database of a program without a list: all devices share the same database under a title. It is
    /// created if it does not exist, shared or local by the preference. If the cloud has it, it is first built from
    /// there, without the rows of ``UbiquitousDatabaseSchema/seed``; rows created by two devices before they were
    /// connected are merged.
    public func openLibrary(_ title: String) throws -> UbiquitousDatabaseDocument {
        try perform { session in
            try session.update { $0.libraries.insert(title) }
            guard let local = PackageName(title: title), let shared = try session.libraryName(title) else {
                throw UbiquitousDatabaseManagerError.badTitle(title)
            }
            // The local database is there while it waits for its move.
            let present = [shared, local].filter { files.has($0) }
            if let name = session.state.preference.isOn == true ? present.first : present.last {
                return try open(name, &session)
            }
            let name = session.state.preference.isOn == true ? shared : local
            if session.container?.has(shared) == true, name == shared {
                throw UbiquitousDatabaseManagerError.building(title: title)
            }
            try session.create(name)
            return try open(name, &session)
        }
    }

    // MARK: Moving

    /// Makes a local database shared. Works offline. ``UbiquitousDatabaseManagerDelegate`` is notified when
    /// it is done; an open document is closed.
    public func moveToCloud(_ info: UbiquitousDatabaseInfo) throws { try move(info, isShared: false) }

    /// Makes a shared database local, and removes it from the cloud and the other devices. The cloud must be
    /// reachable: the result includes the log's transactions of all devices; their later commits stay with them. An
    /// open document is closed once the log records the move.
    ///
    /// Set-aside rows, undecided values, and columns unknown to this program are not in the new database; if there are
    /// any, the old database is kept (``keptDatabases()``).
    public func moveFromCloud(_ info: UbiquitousDatabaseInfo) throws { try move(info, isShared: true) }

    private func move(_ info: UbiquitousDatabaseInfo, isShared: Bool) throws {
        try perform { session in
            guard let name = info.name, name.isShared == isShared, files.has(name) else {
                throw UbiquitousDatabaseManagerError.notFound(title: info.title)
            }
            try session.planMove(name)
            session.continueMoves()
        }
    }

    // MARK: Removing

    /// Removes a local database, or a shared database in the cloud and on all devices, in a single call. A device with
    /// transactions missing from the log keeps them (``keptDatabases()``).
    public func remove(_ info: UbiquitousDatabaseInfo) throws {
        try perform { session in
            guard let name = info.name else { throw UbiquitousDatabaseManagerError.notFound(title: info.title) }
            try session.remove(name)
        }
    }

    /// Rebuilds this device's damaged copy of a shared database from the cloud. The old copy is kept if it has
    /// transactions missing from the log, or is unreadable (``keptDatabases()``).
    public func reset(_ info: UbiquitousDatabaseInfo) throws {
        try performAndBuild { session in
            guard let name = info.name, files.has(name) else {
                throw UbiquitousDatabaseManagerError.notFound(title: info.title)
            }
            try session.reset(name)
        }
    }

    /// Creates a local database from a kept database, with all of its visible rows. The kept database stays until
    /// ``discard(_:)``.
    @discardableResult
    public func recover(_ kept: UbiquitousKeptDatabase) throws -> UbiquitousDatabaseInfo {
        try perform { session in
            let name = try session.recover(kept)
            return try session.info(name)
        }
    }

    /// Removes a kept database permanently.
    public func discard(_ kept: UbiquitousKeptDatabase) throws {
        try perform { _ in
            guard try files.package(kept) != nil else {
                throw UbiquitousDatabaseManagerError.notFound(title: kept.title)
            }
            try files.removeKept(kept)
        }
    }

    // MARK: The preference

    /// Whether databases are in the cloud; nil if undecided.
    public func usesCloud() throws -> Bool? { try perform { $0.state.preference.isOn } }

    /// The unanswered question. A program asks again when it starts.
    public func question() throws -> UbiquitousCloudQuestion? { try perform { $0.state.preference.question } }

    /// Switches the preference. On: all local databases become shared, without a question. Off: the delegate gets a
    /// question, and nothing changes until it is answered.
    public func setUsesCloud(_ usesCloud: Bool) throws {
        try performAndBuild { session in
            try session.handle(.turned(on: usesCloud))
            session.continueMoves()
        }
    }

    /// Passes a person's decision. An answer to a question other than ``question()`` changes nothing.
    public func answer(_ answer: UbiquitousCloudAnswer) throws {
        try performAndBuild { session in
            try session.handle(.answered(answer))
            session.continueMoves()
            session.continueDrops()
        }
    }
}
