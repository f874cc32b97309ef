import CloudModel
import Foundation
import Records
import Synchronization

/// An attempt to build a database from the cloud.
struct BuildAttempt: Sendable {
    var isRunning = true
    var failures = 0
    var retryTime = Duration.zero
}

/// Builds copies of databases shared by other devices.
///
/// A copy is built without the manager's lock, because its files may have to be downloaded. It becomes a document when
/// it has all files listed by the container; a program never sees an incomplete copy.
extension UbiquitousDatabaseManager {
    /// Begins to build missing copies.
    func build(_ names: [PackageName]) {
        let now = environment.now()
        for name in names {
            let isNew = memory.withLock { memory in
                guard !memory.isStopped else { return false }
                var attempt = memory.builds[name] ?? BuildAttempt(isRunning: false)
                guard !attempt.isRunning, attempt.retryTime <= now else { return false }
                attempt.isRunning = true
                memory.builds[name] = attempt
                return true
            }
            guard isNew else { continue }
            buildQueue.async { [weak self] in self?.runBuild(name) }
        }
    }

    private func runBuild(_ name: PackageName) {
        do {
            guard try fill(name) else { return end(name, hasFailed: true) }
            let info = try perform { try show(name, &$0) }
            end(name, hasFailed: false)
            if let info { send([.added(info)]) }
        } catch is CancellationError {
            end(name, hasFailed: false)
        } catch {
            end(name, hasFailed: true)
            send([.failed(error, UbiquitousDatabaseInfo(name, .building))])
        }
    }

    private func end(_ name: PackageName, hasFailed: Bool) {
        let now = environment.now()
        memory.withLock { memory in
            guard hasFailed, var attempt = memory.builds[name] else {
                memory.builds[name] = nil
                return
            }
            attempt.isRunning = false
            attempt.retryTime = now + min(.seconds(60), .seconds(1 << min(attempt.failures, 6)))
            attempt.failures += 1
            memory.builds[name] = attempt
        }
    }

    /// Imports into a database that is not a document yet. Continues an earlier attempt, even of an earlier process.
    /// Returns whether it has all files now.
    private func fill(_ name: PackageName) throws -> Bool {
        guard let container = container() else { return false }
        let making = files.package(name, in: .making)
        if !making.hasDatabase { try making.makeEmpty() }
        guard let lock = try PackageLock.take(making.lock, .exclusive) else { return false }
        return try withExtendedLifetime(lock) {
            let database = try schema.open(making.database, identifier: name.identifier)
            defer {
                // Imports are committed.
                try? database.close()
            }
            let records = try container.records(of: name, device: database.device) { [weak self] in
                self?.memory.withLock { $0.isStopped } ?? true
            }
            try database.importFiles(from: records)
            return try database.hasFolded(records)
        }
    }

    /// Shows the copy unless the database was removed meanwhile. Returns nil if it is not shown.
    private func show(_ name: PackageName, _ session: inout ManagerSession) throws -> UbiquitousDatabaseInfo? {
        guard try session.scan().actions.contains(.build(name)) else { return nil }
        let making = files.package(name, in: .making)
        guard let lock = try PackageLock.take(making.lock, .exclusive) else { return nil }
        return try withExtendedLifetime(lock) {
            try making.noteAnnounced()
            try making.makeDurable()
            try environment.step(.showBuilt)
            try files.move(name, from: .making, to: .documents)
            return try session.info(name)
        }
    }
}
