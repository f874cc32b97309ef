/// A container's state as seen by a collection when it determined the needed chunks: the end of the log and the last
/// link. If a transaction finds the same state, nothing else is needed since.
struct CollectionMark: Hashable, Sendable {
    var sequence: UInt64
    /// The greatest number of a link; 0 if there is none.
    let link: Int64

    static func current(of container: Int64, _ db: any StorageTransaction) throws -> CollectionMark? {
        try db.row(
            """
            SELECT sequence, (SELECT MAX(link.id) FROM link WHERE link.container = container.id) AS link
            FROM container WHERE id = ?
            """, [container]
        ).map { row in
            CollectionMark(
                sequence: UInt64(clamping: try row["sequence"] as Int64), link: try row["link"] as Int64? ?? 0)
        }
    }
}
