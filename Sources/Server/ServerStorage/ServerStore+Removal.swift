package import CloudModel
import Foundation

/// Removes a container or an account, in steps. Other requests run between them. If interrupted, the same command
/// continues it. Rows are removed before frames.
extension ServerStore {
    private static let step = 512

    /// Removes an account with everything in it. Its devices are refused from the first step on.
    package func removeAccount(_ name: String) async throws {
        let now = accounts.now()
        let account = try await database.commit { db in
            let account = try AccountStore.requireAccount(named: name, db)
            try DeviceStore.revokeAll(of: account, at: now, db)
            try AccountStore.withdrawCodes(of: account, db)
            try SessionStore.removeAll(of: account, db)
            try LinkStore.removeAll(of: account, db)
            return account
        }
        let containers = try await database.read { try LogStore.numbers(of: account, $0) }
        for container in containers { try await removeContents(of: container, account) }
        try await database.commit { db in
            for container in containers { try LogStore.remove(container, db) }
            try DeviceStore.removeAll(of: account, db)
            try AccountStore.remove(account, db)
        }
        for container in containers { try await removeFrames(of: container) }
    }

    /// Removes a container. Its devices stop syncing and ask their users for `ubiquity reset`, then upload their data
    /// as new.
    package func removeContainer(_ name: ContainerName, ofAccount accountName: String) async throws {
        let (container, account) = try await database.read { db in
            let account = try AccountStore.requireAccount(named: accountName, db)
            return (try LogStore.requireContainer(name, AccountID(account), db).id, account)
        }
        // No container can have that name, so nothing is written to a container under removal.
        try await database.commit { try LogStore.rename(container, to: "/\(container)", $0) }
        try await removeContents(of: container, account)
        try await database.commit { db in
            try LinkStore.removeAll(in: container, db)
            try LogStore.remove(container, db)
        }
        try await removeFrames(of: container)
    }

    /// Removes the rows of entries and chunks.
    private func removeContents(of container: Int64, _ account: Int64) async throws {
        var isOver = false
        while !isOver {
            isOver = try await database.commit(of: AccountID(account)) { db in
                let entries = try LogStore.removeEntries(of: container, limit: Self.step, db)
                let chunks = try ChunkStore.removeRows(of: container, limit: Self.step, db)
                try AccountStore.use(-(entries.bytes + chunks.bytes), of: AccountID(account), db)
                try AccountStore.giveBackFree(entries.free, of: AccountID(account), db)
                return entries.count + chunks.count == 0
            }
        }
    }

    private func removeFrames(of container: Int64) async throws {
        try await chunks.objects.removeAll(of: container)
        try await trees.remove(container)
    }
}

/// Removes a folder with its contents; does nothing if it is absent.
func removeTree(_ path: String) throws {
    do { try FileManager.default.removeItem(atPath: path) } catch CocoaError.fileNoSuchFile { return }
}
