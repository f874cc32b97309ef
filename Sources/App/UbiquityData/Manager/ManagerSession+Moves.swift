import CloudModel
import GRDB
import Records

/// Moves documents between this device and the cloud.
///
/// A document's name fixes permanently whether it is shared, so a move creates a new document: it copies the database,
/// compares every row, shows the copy, and only then removes the original, by a single rename. Before that rename an
/// interrupted move starts over; after it, only cleanup remains. No process opens either document meanwhile.
extension ManagerSession {
    enum MoveOutcome: Hashable { case done, waiting }

    /// Appends a move to the queue. Nothing happens if the document is being moved already.
    ///
    /// - Parameter returns: For a shared document: whether it becomes shared again, with a new identifier.
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

    /// Continues with the first move, and then with the next.
    mutating func continueMoves() {
        while let move = state.moves.first {
            guard let (source, target) = move.names else {
                // Moves have only names written by this library. If a move cannot be removed from the list now, it is
                // removed next time.
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
                // The file is gone, or was only read.
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

    /// Removes leftovers of an interrupted move under the name. If a copy was built from the cloud meanwhile, it is
    /// created again with the rows of both, once the log has all of its transactions.
    private func clear(_ target: PackageName) throws -> Bool {
        guard files.has(target) else { return true }
        let lock = try exclusive(target)
        return try withExtendedLifetime(lock) {
            if files.package(target).isAnnounced {
                let database = try schema.open(files.package(target).database, identifier: target.identifier)
                defer {
                    // Its contents are in the log, or stay.
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
            // Any obstacle stops the move before other devices are notified.
            try rehearse(source, target)
            try environment.step(.markDeparting)
            try container.mark(identifier, .departing, base: .beginning)
        }
        // The copy includes everything in the log before the mark. Later remote commits stay with their devices.
        guard let version = try container.departures()[identifier] ?? nil else { return .waiting }
        let lock = try exclusive(source)
        try withExtendedLifetime(lock) {
            let database = try schema.open(files.package(source).database, identifier: identifier)
            defer {
                // As above.
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

    /// A database unknown to the container is on this device only.
    private func moveUnannounced(_ source: PackageName, _ target: PackageName) throws {
        let lock = try exclusive(source)
        try withExtendedLifetime(lock) {
            let database = try schema.open(files.package(source).database, identifier: source.identifier)
            defer {
                // As above.
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

    /// Shows a copy with the same rows.
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

    /// Creates a local document from a kept database, with its visible rows.
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
