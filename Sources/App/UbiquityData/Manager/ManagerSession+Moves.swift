import CloudModel
import GRDB
import Records

/// Moves of documents between this device only and the cloud.
///
/// A document's name says for ever whether it is shared, so a move makes a new document: it copies the database, compares every row, shows
/// the copy, and only then removes the original, by one rename. Until that rename a move that was interrupted begins again; after it, only
/// cleaning up remains. No process opens either of the two meanwhile.
extension ManagerSession {
    enum MoveOutcome: Hashable { case done, waiting }

    /// Puts a move behind those that are waiting. Nothing happens if the document is being moved already.
    ///
    /// - Parameter returns: Of a shared document: whether it becomes a shared one again, with another identifier.
    mutating func planMove(_ source: PackageName, returns: Bool = false) throws {
        guard !state.moving.contains(source) else { return }
        let target = source.isShared ? try freeTitle(source.title) : try sharedName(source)
        try update { $0.moves.append(DatabaseMove(source, target, returns: returns)) }
    }

    func sharedName(_ source: PackageName) throws -> PackageName {
        let isLibrary = state.libraries.contains(source.title)
        let name =
            isLibrary
            ? try libraryName(source.title)
            : PackageName(title: source.title, identifier: ItemID.random().description)
        guard let name else { throw UbiquitousDatabaseManagerError.badTitle(source.title) }
        return name
    }

    /// Continues with the first move, and goes on with the next one when it is done.
    mutating func continueMoves() {
        while let move = state.moves.first {
            guard let (source, target) = move.names else {
                // No move has other names than this library wrote. If it cannot be removed from the list now, it is the next time.
                guard (try? finish(move)) != nil else { return }
                continue
            }
            do {
                let outcome =
                    source.isShared ? try moveFromCloud(source, target) : try moveToCloud(source, target)
                guard outcome == .done else {
                    isWaiting = true
                    return
                }
                let next = move.returns && files.has(target) ? DatabaseMove(target, try sharedName(target)) : nil
                try finish(move, next)
                if next != nil { continue }
                let name = files.has(target) ? target : source
                let error = files.has(target) ? nil : UbiquitousDatabaseManagerError.notFound(title: source.title)
                events.append(.migrated(UbiquitousDatabaseInfo(name, try info(name).state), error))
                if target.isShared, files.has(target), container != nil { try announce(target) }
            } catch {
                isWaiting = true
                events.append(.failed(error, UbiquitousDatabaseInfo(source, .moving)))
                return
            }
        }
    }

    private mutating func finish(_ move: DatabaseMove, _ next: DatabaseMove? = nil) throws {
        try update { state in
            state.moves.removeAll { $0 == move }
            if let next { state.moves.insert(next, at: 0) }
        }
    }

    // MARK: To the cloud

    private mutating func moveToCloud(_ source: PackageName, _ target: PackageName) throws -> MoveOutcome {
        guard files.has(source) else { return .done }
        guard try clear(target) else { return .waiting }
        let lock = try exclusive(source)
        try withExtendedLifetime(lock) {
            let pool = try schema.openLocal(files.package(source).database)
            defer {
                // The file is gone, or has been read only.
                try? pool.close()
            }
            try pool.holding {
                try copy(source, to: target) { making in
                    try schema.open(making.database, identifier: target.identifier).close()
                }
                try environment.step(.removeSource)
                try files.remove(source)
            }
        }
        return .done
    }

    /// Removes what an interrupted move has left under the name. A copy that was built from the cloud meanwhile is made again with the rows of
    /// both, once the log has all of its transactions.
    private func clear(_ target: PackageName) throws -> Bool {
        guard files.has(target) else { return true }
        let lock = try exclusive(target)
        return try withExtendedLifetime(lock) {
            if files.package(target).isAnnounced {
                let database = try schema.open(files.package(target).database, identifier: target.identifier)
                defer {
                    // What it has is in the log, or stays.
                    try? database.close()
                }
                try exchange(target, database)
                guard try !database.hasUnconfirmed() else { return false }
            }
            try files.remove(target)
            return true
        }
    }

    // MARK: From the cloud

    private mutating func moveFromCloud(_ source: PackageName, _ target: PackageName) throws -> MoveOutcome {
        guard files.has(source) else { return .done }
        if files.has(target) { try files.remove(target) }
        guard files.package(source).isAnnounced else {
            try moveUnannounced(source, target)
            return .done
        }
        guard let identifier = source.identifier, let container else { return .waiting }
        if try container.departures()[identifier] == nil {
            // What would stop the move stops it before any other device is notified.
            try rehearse(source, target)
            try environment.step(.markDeparting)
            try container.mark(identifier, .departing, base: .beginning)
        }
        // All that the log has before the mark is part of the copy. What other devices commit later stays with them.
        guard let version = try container.departures()[identifier] ?? nil else { return .waiting }
        let lock = try exclusive(source)
        try withExtendedLifetime(lock) {
            let database = try schema.open(files.package(source).database, identifier: identifier)
            defer {
                // The same.
                try? database.close()
            }
            try exchange(source, database, before: version)
            let (hasHiddenRows, base) = (try database.hasHiddenRows(), try database.importedVersion)
            try database.holding {
                try copy(source, to: target) { try stopSharing($0) }
                try environment.step(.markRemoved)
                try container.mark(identifier, .removed, base: base)
                try environment.step(.leaveDocuments)
                if hasHiddenRows {
                    try files.keep(source, from: .documents)
                } else {
                    try files.move(source, from: .documents, to: .leaving)
                }
            }
            if hasHiddenRows, let kept = try files.kept().last(where: { $0.identifier == identifier }) {
                events.append(.kept(kept))
            }
        }
        return .done
    }

    /// No other device can have a database that the container never had.
    private func moveUnannounced(_ source: PackageName, _ target: PackageName) throws {
        let lock = try exclusive(source)
        try withExtendedLifetime(lock) {
            let database = try schema.open(files.package(source).database, identifier: source.identifier)
            defer {
                // The same.
                try? database.close()
            }
            try database.holding {
                try copy(source, to: target) { try stopSharing($0) }
                try environment.step(.removeSource)
                try files.remove(source)
            }
        }
    }

    private func stopSharing(_ making: DatabasePackage) throws {
        try schema.open(making.database, identifier: nil).stopSharing(discardsUnpublished: true)
    }

    private func rehearse(_ source: PackageName, _ target: PackageName) throws {
        let making = files.package(target, in: .making)
        try making.makeEmpty()
        try DatabaseCopy(source: files.package(source).database, target: making.database).make()
        try stopSharing(making)
        try files.remove(target, from: .making)
    }

    // MARK: Both

    /// Shows a copy that has the same rows.
    private func copy(
        _ source: PackageName, to target: PackageName, prepare: (DatabasePackage) throws -> Void
    ) throws {
        let making = files.package(target, in: .making)
        try making.makeEmpty()
        try environment.step(.makeCopy)
        let copy = DatabaseCopy(source: files.package(source).database, target: making.database)
        try copy.make()
        try prepare(making)
        if let difference = try copy.difference() {
            try files.remove(target, from: .making)
            throw UbiquitousDatabaseManagerError.copyDiffers(title: source.title, what: difference)
        }
        try making.makeDurable()
        try environment.step(.showCopy)
        try files.move(target, from: .making, to: .documents)
    }

    /// Makes a document of this device only of a kept database, with the rows that it shows.
    mutating func recover(_ kept: UbiquitousKeptDatabase) throws -> PackageName {
        guard let package = try files.package(kept) else {
            throw UbiquitousDatabaseManagerError.notFound(title: kept.title)
        }
        let target = try freeTitle(kept.title)
        let making = files.package(target, in: .making)
        try making.makeEmpty()
        let copy = DatabaseCopy(source: package.database, target: making.database)
        try copy.make()
        try stopSharing(making)
        if let difference = try copy.difference() {
            throw UbiquitousDatabaseManagerError.copyDiffers(title: kept.title, what: difference)
        }
        try making.makeDurable()
        try environment.step(.showCopy)
        try files.move(target, from: .making, to: .documents)
        return target
    }
}

extension DatabasePool {
    /// Keeps all other connections from writing while `body` runs.
    fileprivate func holding<T>(_ body: () throws -> T) throws -> T {
        try writeWithoutTransaction { db in
            var result: T?
            try db.inTransaction(.immediate) {
                result = try body()
                return .rollback
            }
            guard let result else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
            return result
        }
    }
}

extension UbiquitousDatabase {
    /// Keeps all other connections from writing while `body` runs.
    func holding<T>(_ body: () throws -> T) throws -> T {
        guard let pool = reader as? DatabasePool else { throw DatabaseError(resultCode: .SQLITE_MISUSE) }
        return try pool.holding(body)
    }
}
