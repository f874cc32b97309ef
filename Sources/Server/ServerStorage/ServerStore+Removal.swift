package import CloudModel
import Foundation
import GRDB

/// Taking away a container or an account, in steps that leave room for others; a step that was not done is done by the same command
/// again. Rows go before files.
extension ServerStore {
    private static let step = 512

    /// Takes an account away with all that it has. Its devices are turned away from the first step on.
    package func removeAccount(_ name: String) async throws {
        let now = now()
        let account = try await database.commit { db in
            let account = try Self.requireAccount(named: name, db)
            try db.execute(
                sql: "UPDATE device SET revoked = ? WHERE account = ? AND revoked IS NULL", arguments: [now, account])
            for table in ["code", "session", "passkey"] {
                try db.execute(sql: "DELETE FROM \(table) WHERE account = ?", arguments: [account])
            }
            try db.execute(
                sql: "DELETE FROM link WHERE container IN (SELECT id FROM container WHERE account = ?)",
                arguments: [account])
            return account
        }
        let containers = try await database.read { db in
            try Int64.fetchAll(db, sql: "SELECT id FROM container WHERE account = ?", arguments: [account])
        }
        for container in containers { try await removeContents(of: container, account) }
        try await database.commit { db in
            for container in containers { try Self.deleteContainer(container, db) }
            for table in ["formerIdentity", "device"] {
                try db.execute(sql: "DELETE FROM \(table) WHERE account = ?", arguments: [account])
            }
            try db.execute(sql: "DELETE FROM account WHERE id = ?", arguments: [account])
        }
        for container in containers { try await removeFolder(of: container) }
    }

    package func containers(ofAccount name: String) async throws -> [(name: String, entries: UInt64)] {
        try await database.read { db in
            let account = try Self.requireAccount(named: name, db)
            return try Row.fetchAll(
                db, sql: "SELECT name, sequence FROM container WHERE account = ? ORDER BY name", arguments: [account]
            ).map { (name: $0["name"] as String, entries: UInt64(clamping: $0["sequence"] as Int64)) }
        }
    }

    /// Takes a container away. Devices that had it stop syncing and ask for `ubiquity reset`, and then bring what they have as new.
    package func removeContainer(_ name: ContainerName, ofAccount accountName: String) async throws {
        let (container, account) = try await database.read { db in
            let account = try Self.requireAccount(named: accountName, db)
            return (try Self.requireContainer(name, AccountID(account), db).id, account)
        }
        // No container can have that name, and no device of before reaches any log from here on: nothing is written to what goes.
        try await database.commit { db in
            try Self.renameCloud(of: account, to: Self.randomIdentity(), db)
            try db.execute(
                sql: "UPDATE formerEnd SET sequence = 0 WHERE account = ? AND container = ?",
                arguments: [account, name.text])
            try db.execute(
                sql: "UPDATE container SET name = ? WHERE id = ?", arguments: ["/\(container)", container])
        }
        try await removeContents(of: container, account)
        try await database.commit { try Self.deleteContainer(container, $0) }
        try await removeFolder(of: container)
    }

    private static func deleteContainer(_ container: Int64, _ db: Database) throws {
        try db.execute(sql: "DELETE FROM container WHERE id = ?", arguments: [container])
    }

    /// Rows of entries and chunks.
    private func removeContents(of container: Int64, _ account: Int64) async throws {
        var isOver = false
        while !isOver {
            isOver = try await database.commit { db in
                let entries = try Self.takeEntries(of: container, db)
                let chunks = try Self.takeChunks(of: container, db)
                try Self.use(-(entries.bytes + chunks.bytes), of: AccountID(account), db)
                try Self.giveBackFree(entries.free, of: AccountID(account), db)
                return entries.count + chunks.count == 0
            }
        }
    }

    /// `free`: of settings, which counted against nothing.
    private static func takeEntries(
        of container: Int64, _ db: Database
    ) throws -> (count: Int, bytes: Int, free: Int) {
        let rows = try Row.fetchAll(
            db,
            sql: """
                DELETE FROM entry WHERE id IN (SELECT id FROM entry WHERE container = ? LIMIT ?)
                RETURNING LENGTH(payload), isFree
                """, arguments: [container, step])
        return rows.reduce(into: (rows.count, 0, 0)) { sums, row in
            let isFree: Bool = row[1]
            let cost = StorageCost.entry(length: row[0])
            if isFree { sums.2 += cost } else { sums.1 += cost }
        }
    }

    private static func takeChunks(of container: Int64, _ db: Database) throws -> (count: Int, bytes: Int) {
        let sizes = try Int.fetchAll(
            db,
            sql: """
                DELETE FROM chunk WHERE container = ?1 AND id IN (SELECT id FROM chunk WHERE container = ?1 LIMIT ?2)
                RETURNING size
                """, arguments: [container, step])
        return (sizes.count, sizes.reduce(0) { $0 + StorageCost.chunk($1) })
    }

    private func removeFolder(of container: Int64) async throws {
        try await blocking { [directory] in
            try removeTree("\(directory.chunks)/\(container)")
            ContainerFold.remove(container, in: directory)
        }
    }
}

/// Removes a folder with all that is in it; nothing where there is none.
func removeTree(_ path: String) throws {
    do { try FileManager.default.removeItem(atPath: path) } catch CocoaError.fileNoSuchFile { return }
}
