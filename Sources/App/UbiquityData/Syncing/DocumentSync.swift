import CloudModel
import Dispatch
import Foundation
import GRDB
import Synchronization

/// Publishes and imports for an open document, as scheduled.
final class DocumentSync: Sendable {
    private struct State {
        weak var document: UbiquitousDatabaseDocument?
        /// SQLite's count of commits by connections other than this process's writer.
        var foreignCommits: Int?
        /// The last reported failure message, to report it only once.
        var failure: String?
    }

    /// In milliseconds.
    private static let closingLimit: Int32 = 2_000

    private let database: UbiquitousDatabase
    private let name: PackageName
    private let package: DatabasePackage
    private let rules: UbiquitousDatabaseRules
    private let container: @Sendable () -> ContainerFolder?
    private let events: DocumentEvents
    private let state = Mutex(State())
    private let parts: Mutex<Parts?> = Mutex(nil)
    private let environment: SyncEnvironment
    private let eventQueue = DispatchQueue(label: "ubiquity.database.events")

    private struct Parts {
        let loop: DatabaseSyncLoop
        let ownFiles: any FolderObserving
        let arrivals: any FolderObserving
    }

    init(
        _ database: UbiquitousDatabase, _ name: PackageName, _ package: DatabasePackage,
        rules: UbiquitousDatabaseRules, container: @escaping @Sendable () -> ContainerFolder?,
        environment: SyncEnvironment, events: DocumentEvents
    ) {
        (self.database, self.name, self.package, self.rules) = (database, name, package, rules)
        (self.container, self.environment, self.events) = (container, environment, events)
    }

    func begin(_ document: UbiquitousDatabaseDocument) {
        state.withLock { $0.document = document }
        // A failure here recurs in the first look, which reports it.
        let commits = try? foreignCommits()
        state.withLock { $0.foreignCommits = commits }
        let loop = DatabaseSyncLoop(environment) { [weak self] work, isStopped in
            self?.run(work, isStopped) ?? SyncSchedule.Outcome()
        }
        let ownFiles = environment.observer { [weak loop] in loop?.handle(.touched) }
        let arrivals = environment.observer { [weak loop] in loop?.handle(.filesArrived) }
        parts.withLock { $0 = Parts(loop: loop, ownFiles: ownFiles, arrivals: arrivals) }
        ownFiles.observe([package.path])
        loop.handle(.opened)
    }

    func noteCommit() { parts.withLock { $0 }?.loop.handle(.committed) }

    /// Waits until all due work is done. For tests.
    func drain() {
        parts.withLock { $0 }?.loop.drain()
        eventQueue.sync {}
    }

    func noteReachable() { parts.withLock { $0 }?.loop.handle(.opened) }

    func stop() {
        cancel()
        parts.withLock { $0 }?.loop.stop()
    }

    /// As ``stop()``, without waiting.
    func cancel() {
        guard let parts = parts.withLock({ $0 }) else { return }
        parts.ownFiles.stop()
        parts.arrivals.stop()
        parts.loop.cancel()
    }

    // MARK: Work

    private func run(
        _ work: SyncSchedule.Work, _ isStopped: @escaping @Sendable () -> Bool
    ) -> SyncSchedule.Outcome {
        var outcome = SyncSchedule.Outcome()
        do {
            if work.contains(.look) {
                outcome.hasForeignCommit = try lookForCommits()
                if work == .look { return outcome }
            }
            guard let container = container(), container.has(name) else {
                outcome.isUnreachable = true
                return outcome
            }
            guard let lock = try PackageLock.take(package.syncLock, .exclusive) else {
                outcome.isBusy = true
                return outcome
            }
            _ = try withExtendedLifetime(lock) { try exchange(container, work, isStopped) }
            outcome.isUnconfirmed = try database.hasUnconfirmed()
            state.withLock { $0.failure = nil }
        } catch is CancellationError {
            return outcome
        } catch {
            outcome.hasFailed = true
            report(error)
        }
        return outcome
    }

    func synchronize() throws -> UbiquitousChanges {
        guard let container = container(), container.has(name) else {
            throw UbiquitousDatabaseManagerError.unreachable
        }
        guard let loop = parts.withLock({ $0?.loop }) else { return UbiquitousChanges() }
        return try loop.perform {
            guard let lock = try PackageLock.take(package.syncLock, .exclusive) else {
                throw UbiquitousDatabaseManagerError.inUse(title: name.title)
            }
            return try withExtendedLifetime(lock) { try exchange(container, [.publish, .importFiles]) { false } }
        }
    }

    /// For the end of a document: waits briefly for another process, so that this process's commits need not wait for
    /// the next.
    func publish() throws {
        guard try database.hasUnpublished(), let container = container(), container.has(name),
            let lock = try PackageLock.wait(package.syncLock, limit: Self.closingLimit)
        else { return }
        let records = try container.records(of: name, device: database.device)
        _ = try withExtendedLifetime(lock) { try database.publish(to: records) }
    }

    /// Publishes first: offline commits are on their way before any download, and a file of a newer format does not
    /// keep them on this device.
    private func exchange(
        _ container: ContainerFolder, _ work: SyncSchedule.Work, _ isStopped: @escaping @Sendable () -> Bool
    ) throws -> UbiquitousChanges {
        let records = try container.records(of: name, device: database.device, isCancelled: isStopped)
        if work.contains(.publish), try database.hasUnpublished() { try database.publish(to: records) }
        guard work.contains(.importFiles) else { return UbiquitousChanges() }
        let changes = try database.importFiles(from: records)
        parts.withLock { $0 }?.arrivals.observe(container.watched(name))
        if !changes.rows.isEmpty || !changes.refused.isEmpty { post(changes) }
        if try database.apply(rules) > 0 { noteCommit() }
        return changes
    }

    // MARK: Other processes

    private func foreignCommits() throws -> Int? {
        try database.inWriter { try Int.fetchOne($0, sql: "PRAGMA data_version") }
    }

    private func lookForCommits() throws -> Bool {
        let commits = try foreignCommits()
        let isNew = state.withLock { state in
            defer { state.foreignCommits = commits }
            return state.foreignCommits != commits
        }
        guard isNew else { return false }
        // GRDB's observations see only this process's commits.
        try database.inWriter { db in
            try db.inTransaction {
                try db.notifyChanges(in: .fullDatabase); return .commit
            }
        }
        post(nil)
        return try database.hasUnpublished()
    }

    // MARK: Reports

    private func post(_ changes: UbiquitousChanges?) {
        guard let document = state.withLock({ $0.document }) else { return }
        // An observer may close the document, which waits for the loop.
        eventQueue.async { [events] in
            NotificationCenter.default.post(
                name: .UbiquitousDatabaseDidImportChanges, object: document,
                userInfo: changes.map { [UbiquitousDatabaseDocument.changesKey: $0] })
            events.changed(document, changes)
        }
    }

    private func report(_ error: any Error) {
        let message = "\(error)"
        let document = state.withLock { state -> UbiquitousDatabaseDocument? in
            defer { state.failure = message }
            return state.failure == message ? nil : state.document
        }
        if let document { events.failed(document, error) }
    }
}

extension UbiquitousDatabase {
    /// Runs statements on this process's only writing connection.
    func inWriter<T>(_ body: (Database) throws -> T) throws -> T {
        guard let writer = reader as? DatabasePool else { throw DatabaseError(resultCode: .SQLITE_MISUSE) }
        return try writer.writeWithoutTransaction(body)
    }
}
