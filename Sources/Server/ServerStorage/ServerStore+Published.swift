import CloudModel
import Foundation
import GRDB

extension ServerStore {
    /// The contents that published links of a container serve, until they expire.
    func publishedContents(of container: Int64) async throws -> [ContentReference] {
        let now = now()
        return try await database.read { db in
            guard try db.tableExists("link") else { return [] }
            let rows = try Row.fetchAll(
                db, sql: "SELECT digest, size, layout FROM link WHERE container = ? AND expires > ?",
                arguments: [container, now])
            return try rows.map { row in
                guard let digest = Digest(row["digest"] as Data),
                    let layout = ContentReference.Layout(rawValue: row["layout"])
                else { throw StorageError(.damaged, "A published link has a content without a name.") }
                return ContentReference(digest: digest, size: UInt64(row["size"] as Int64), layout: layout)
            }
        }
    }
}
