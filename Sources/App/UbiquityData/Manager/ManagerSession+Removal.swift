import CloudModel
import GRDB
import Records

/// Removing documents here and everywhere, and following the removals of others.
extension ManagerSession {
    /// Removes a document of this device only, or a shared one everywhere. A shared one leaves the list at once; its files stay until the log
    /// has the removal.
    mutating func remove(_ name: PackageName) throws {
        guard !state.moving.contains(name) else {
            throw UbiquitousDatabaseManagerError.moving(title: name.title)
        }
        if name.isShared, !files.has(name) { return try removeUnbuilt(name) }
        let lock = try exclusive(name)
        try withExtendedLifetime(lock) {
            guard name.isShared else {
                try environment.step(.removePackage)
                return try files.remove(name)
            }
            try environment.step(.leaveDocuments)
            try files.move(name, from: .documents, to: .leaving)
        }
        if name.isShared { try finishRemoval(name) }
    }

    /// A database of which this device has no copy yet.
    private func removeUnbuilt(_ name: PackageName) throws {
        guard let container, let identifier = name.identifier else { throw UbiquitousDatabaseManagerError.unreachable }
        guard container.has(name) else { throw UbiquitousDatabaseManagerError.notFound(title: name.title) }
        try environment.step(.markRemoved)
        try container.mark(identifier, .removed, base: .beginning)
        try environment.step(.removeFolder)
        try container.removeFolder(name)
    }

    mutating func carryOut(_ action: DatabaseScan.Action) throws {
        switch action {
        case .announce(let name): try announce(name)
        case .exchange(let name): try exchange(name)
        case .followRemoval(let name, let version): try followRemoval(name, version)
        case .replace(let name):
            try planMove(name, returns: true)
            continueMoves()
        case .removeFolder(let name):
            try environment.step(.removeFolder)
            try container?.removeFolder(name)
        case .finishRemoval(let name): try finishRemoval(name)
        // The manager builds without the lock, because a download may take long.
        case .build: break
        }
    }

    private mutating func finishRemoval(_ name: PackageName) throws {
        guard let container, let identifier = name.identifier else {
            isWaiting = true
            return
        }
        try environment.step(.markRemoved)
        // One that cannot be read says that nothing was imported: then the other devices keep what they have written.
        let database = try? schema.open(files.package(name, in: .leaving).database, identifier: identifier)
        let base = try? database?.importedVersion
        try? database?.close()
        try container.mark(identifier, .removed, base: base ?? .beginning)
        try environment.step(.removeFolder)
        try container.removeFolder(name)
        guard try container.removals()[identifier] ?? nil != nil else {
            isWaiting = true
            return
        }
        try environment.step(.removePackage)
        try files.remove(name, from: .leaving)
    }

    /// Removes the copy of a database that another device has removed, unless this device has transactions that the other one had not
    /// imported.
    ///
    /// - Parameter base: What the other device had imported.
    private mutating func followRemoval(_ name: PackageName, _ base: VersionID) throws {
        let lock: PackageLock
        do { lock = try exclusive(name) } catch UbiquitousDatabaseManagerError.inUse {
            // Another process has it open, and sees the removal itself.
            isWaiting = true
            return
        }
        try withExtendedLifetime(lock) {
            if try removeUnlessMore(name, than: base) {
                events.append(.removed(UbiquitousDatabaseInfo(name, .leaving)))
            } else {
                try environment.step(.keepPackage)
                try keep(name)
            }
        }
    }

    private mutating func keep(_ name: PackageName) throws {
        try files.keep(name, from: .documents)
        for kept in try files.kept() where kept.identifier == name.identifier { events.append(.kept(kept)) }
    }

    /// A database that cannot be read may have more.
    private func removeUnlessMore(_ name: PackageName, than base: VersionID) throws -> Bool {
        guard let database = try? schema.open(files.package(name).database, identifier: name.identifier) else {
            return false
        }
        defer {
            // It stays as it is, or goes.
            try? database.close()
        }
        let end = VersionID(sequence: LogSequence(.max), index: .max)
        do { try exchange(name, database, before: end) } catch is RecordFileError {
            // What cannot be read now will not be readable later.
            return false
        }
        return try remove(name, database) { try !database.hasTransactions(after: base) }
    }

    /// Removes a document if a condition holds that no other program can change meanwhile.
    private func remove(
        _ name: PackageName, _ database: UbiquitousDatabase, if condition: () throws -> Bool
    ) throws -> Bool {
        try database.holding {
            guard try condition() else { return false }
            try environment.step(.removePackage)
            try files.remove(name)
            return true
        }
    }

    // MARK: This device only

    /// Removes copies that are to leave this device, once the log has all of their transactions.
    mutating func continueDrops() {
        for text in state.drops.sorted() {
            do {
                if let name = PackageName(text), files.has(name), try !drop(name) {
                    isWaiting = true
                    continue
                }
                try update { $0.drops.remove(text) }
            } catch {
                isWaiting = true
                events.append(.failed(error, PackageName(text).map { UbiquitousDatabaseInfo($0, .leaving) }))
            }
        }
    }

    private mutating func drop(_ name: PackageName) throws -> Bool {
        guard container?.has(name) == true else { return false }
        let lock = try exclusive(name)
        return try withExtendedLifetime(lock) {
            let database = try schema.open(files.package(name).database, identifier: name.identifier)
            defer {
                // The same.
                try? database.close()
            }
            try exchange(name, database)
            return try remove(name, database) { try !database.hasUnconfirmed() }
        }
    }

    // MARK: Building again

    /// Puts the copy of this device away, so that it is built again from the cloud. If it has transactions that the log does not have, or
    /// cannot be read, it is kept.
    mutating func reset(_ name: PackageName) throws {
        guard name.isShared else { throw UbiquitousDatabaseManagerError.missing(title: name.title) }
        guard let container else { throw UbiquitousDatabaseManagerError.unreachable }
        guard container.has(name), files.package(name).isAnnounced else {
            throw UbiquitousDatabaseManagerError.missing(title: name.title)
        }
        guard !state.moving.contains(name) else { throw UbiquitousDatabaseManagerError.moving(title: name.title) }
        let lock = try exclusive(name)
        try withExtendedLifetime(lock) {
            // A copy that cannot be opened may have more.
            guard (try? removeIfInLog(name)) != true else { return }
            try environment.step(.keepPackage)
            try keep(name)
        }
    }

    private func removeIfInLog(_ name: PackageName) throws -> Bool {
        let database = try schema.open(files.package(name).database, identifier: name.identifier)
        defer {
            // It is removed, or kept as it is.
            try? database.close()
        }
        try exchange(name, database)
        return try remove(name, database) { try !database.hasUnconfirmed() }
    }
}
