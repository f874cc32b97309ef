import CloudModel
import Foundation
import GRDB

/// A content with a version that a person removed for good. Other versions may still need it.
struct PurgedContent: Hashable, Sendable {
    let content: ContentReference
    /// When the removing entry arrived, in seconds since 1970 UTC by the server's clock.
    let time: Int64

    static func all(_ db: Database) throws -> [PurgedContent] {
        try Row.fetchAll(db, sql: "SELECT digest, layout, size, at FROM purged").map {
            PurgedContent(content: try ContentReference(folded: $0), time: $0["at"])
        }
    }
}

extension FoldedContainer {
    /// Forgets purged contents whose chunks were collected.
    func forget(_ purged: [PurgedContent]) async throws {
        guard !purged.isEmpty else { return }
        try await write { db in
            for each in purged {
                try db.cachedStatement(
                    sql: "DELETE FROM purged WHERE digest = ? AND layout = ? AND size = ? AND at <= ?"
                ).execute(arguments: [
                    Data(each.content.digest.bytes), Int64(each.content.layout.rawValue),
                    Int64(clamping: each.content.size), each.time,
                ])
            }
        }
    }
}
