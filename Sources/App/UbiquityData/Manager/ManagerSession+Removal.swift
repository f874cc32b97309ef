import CloudModel
import GRDB
import Records

/// Removes documents locally and everywhere, and follows remote removals.
extension ManagerSession {
    /// Removes a local document, or a shared document everywhere. A shared document leaves the list immediately; its
    /// files stay until the log records the removal.
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

    /// A database without a copy on this device yet.
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
        // An unreadable database declares that nothing was imported: then peers keep their own writes.
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

    /// Removes the copy of a remotely removed database, unless this device has transactions that the removing device
    /// had not imported.
    ///
    /// - Parameter base: The removing device's last import.
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

    /// An unreadable database may have more.
    private func removeUnlessMore(_ name: PackageName, than base: VersionID) throws -> Bool {
        guard let database = try? schema.open(files.package(name).database, identifier: name.identifier) else {
            return false
        }
        defer {
            // It stays as it is, or is removed.
            try? database.close()
        }
        let end = VersionID(sequence: LogSequence(.max), index: .max)
        do { try exchange(name, database, before: end) } catch is RecordFileError {
            // An unreadable database will not become readable later.
            return false
        }
        return try remove(name, database) { try !database.hasTransactions(after: base) }
    }

    /// Checks a condition and, if it holds, removes a document. No other program can write meanwhile.
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

    // MARK: Removal from this device only

    /// Removes copies leaving this device, once the log has all of their transactions.
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
                // As above.
                try? database.close()
            }
            try exchange(name, database)
            return try remove(name, database) { try !database.hasUnconfirmed() }
        }
    }

    // MARK: Rebuilding

    /// Puts this device's copy away, to be rebuilt from the cloud. The copy is kept if it has transactions missing from
    /// the log, or is unreadable.
    mutating func reset(_ name: PackageName) throws {
        guard name.isShared else { throw UbiquitousDatabaseManagerError.missing(title: name.title) }
        guard let container else { throw UbiquitousDatabaseManagerError.unreachable }
        guard container.has(name), files.package(name).isAnnounced else {
            throw UbiquitousDatabaseManagerError.missing(title: name.title)
        }
        guard !state.moving.contains(name) else { throw UbiquitousDatabaseManagerError.moving(title: name.title) }
        let lock = try exclusive(name)
        try withExtendedLifetime(lock) {
            // An unopenable copy may have more.
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
