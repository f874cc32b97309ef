import CloudModel
import Foundation

/// What a program does with its databases.
extension UbiquitousDatabaseManager {
    // MARK: The list

    /// Returns the databases of this device, and those that other devices share.
    public func databases() throws -> [UbiquitousDatabaseInfo] { try perform { try $0.list() } }

    /// Returns databases that were removed or rebuilt, with what only this device has of them.
    public func keptDatabases() throws -> [UbiquitousKeptDatabase] { try files.kept() }

    // MARK: Documents

    /// Makes a database, with the rows of ``UbiquitousDatabaseSchema/seed``. Whether it is shared cannot be changed; a move makes another one.
    ///
    /// - Parameter isShared: Nil follows the preference about the cloud. A shared one can be made while the cloud cannot be reached.
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

    /// Opens a database. Several documents and processes may have it open.
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
        // One that leaves the cloud can be written until the log has that; what becomes a shared one is being copied.
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

    /// Opens the one database of a program that has no list: all devices share one and the same under a title. It is made if it does not exist,
    /// shared or not as the preference says. If the cloud has it, it is first built from there, without the rows of
    /// ``UbiquitousDatabaseSchema/seed``; rows that two devices made before they were connected are merged.
    public func openLibrary(_ title: String) throws -> UbiquitousDatabaseDocument {
        try perform { session in
            try session.update { $0.libraries.insert(title) }
            guard let local = PackageName(title: title), let shared = try session.libraryName(title) else {
                throw UbiquitousDatabaseManagerError.badTitle(title)
            }
            // The one of this device only is there while it waits for its move.
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

    /// Makes a shared database of one of this device only. Works offline. ``UbiquitousDatabaseManagerDelegate`` is notified when it is done; an
    /// open document is closed.
    public func moveToCloud(_ info: UbiquitousDatabaseInfo) throws { try move(info, isShared: false) }

    /// Makes a database of this device only of a shared one, which leaves the cloud and the other devices. The cloud has to be reachable: what
    /// the log has of all devices is part of it, and what they commit later stays with them. An open document is closed when that is known.
    ///
    /// Rows that stand aside, values that wait for a decision, and columns that this program does not know are not in the new database; if
    /// there are any, the old one is kept (``keptDatabases()``).
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

    /// Removes a database of this device only, or a shared one in the cloud and on all devices, in one call. Another device that has
    /// transactions which the log does not have keeps them (``keptDatabases()``).
    public func remove(_ info: UbiquitousDatabaseInfo) throws {
        try perform { session in
            guard let name = info.name else { throw UbiquitousDatabaseManagerError.notFound(title: info.title) }
            try session.remove(name)
        }
    }

    /// Builds this device's copy of a shared database again from the cloud, for one that is damaged. If it has transactions that the log does
    /// not have, or cannot be read, it is kept (``keptDatabases()``).
    public func reset(_ info: UbiquitousDatabaseInfo) throws {
        try performAndBuild { session in
            guard let name = info.name, files.has(name) else {
                throw UbiquitousDatabaseManagerError.notFound(title: info.title)
            }
            try session.reset(name)
        }
    }

    /// Makes a database of this device only of a kept one, with all rows that it shows. The kept one stays until ``discard(_:)``.
    @discardableResult
    public func recover(_ kept: UbiquitousKeptDatabase) throws -> UbiquitousDatabaseInfo {
        try perform { session in
            let name = try session.recover(kept)
            return try session.info(name)
        }
    }

    /// Removes a kept database for ever.
    public func discard(_ kept: UbiquitousKeptDatabase) throws {
        try perform { _ in
            guard try files.package(kept) != nil else {
                throw UbiquitousDatabaseManagerError.notFound(title: kept.title)
            }
            try files.removeKept(kept)
        }
    }

    // MARK: The preference

    /// Whether databases are in the cloud; nil until that was decided.
    public func usesCloud() throws -> Bool? { try perform { $0.state.preference.isOn } }

    /// The question that waits for an answer. A program that starts asks again.
    public func question() throws -> UbiquitousCloudQuestion? { try perform { $0.state.preference.question } }

    /// Switches the preference. On: all databases of this device only become shared ones, without a question. Off: the delegate gets a
    /// question, and until it is answered everything stays as it is.
    public func setUsesCloud(_ usesCloud: Bool) throws {
        try performAndBuild { session in
            try session.handle(.turned(on: usesCloud))
            session.continueMoves()
        }
    }

    /// Passes what a person decided. An answer to another question than ``question()`` changes nothing.
    public func answer(_ answer: UbiquitousCloudAnswer) throws {
        try performAndBuild { session in
            try session.handle(.answered(answer))
            session.continueMoves()
            session.continueDrops()
        }
    }
}
