import CloudModel
import CloudProtocol
import Foundation
import GRDB

extension ServerStore {
    /// A container as the server's own work sees it.
    struct StoredContainer: Hashable, Sendable {
        let id: Int64
        let account: AccountID
        let name: String
        let sequence: UInt64
    }

    func storedContainers() async throws -> [StoredContainer] {
        try await database.read { db in
            try Row.fetchAll(db, sql: "SELECT id, account, name, sequence FROM container ORDER BY id").map { row in
                StoredContainer(
                    id: row["id"], account: AccountID(row["account"]), name: row["name"],
                    sequence: UInt64(clamping: row["sequence"] as Int64))
            }
        }
    }

    /// Folds a log to its end as it is now, page by page, so that nothing else waits for long. Throws what a log that can not be folded
    /// throws.
    func foldToEnd(_ container: StoredContainer) async throws -> ContainerFold {
        let fold = try await blocking { [directory] in try ContainerFold(container: container.id, in: directory) }
        var position = try await blocking { try fold.position() }
        while position.value < container.sequence {
            try Task.checkCancellation()
            let entries = try await page(of: container.id, after: position)
            guard let last = entries.last else {
                throw StorageError(.damaged, "The log of container \(container.id) has no entry \(position.next).")
            }
            try await blocking { try fold.fold(entries) }
            position = last.sequence
        }
        return fold
    }

    private func page(of container: Int64, after position: LogSequence) async throws -> [ContainerFold.Entry] {
        let now = now()
        return try await database.read { db in
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT sequence, payload, created FROM entry WHERE container = ? AND sequence > ?
                    ORDER BY sequence LIMIT ?
                    """, arguments: [container, Int64(position.value), CloudLimits.pageEntries])
            var entries: [ContainerFold.Entry] = []
            var bytes = 0
            while bytes < CloudLimits.pageBytes, let row = try rows.next() {
                let payload: Data = row["payload"]
                bytes += payload.count
                entries.append(
                    ContainerFold.Entry(
                        sequence: LogSequence(UInt64(clamping: row["sequence"] as Int64)), payload: Array(payload),
                        created: row["created"] ?? now))
            }
            return entries
        }
    }
}
