import CloudModel
import CloudProtocol
import Foundation

/// The last entries of logs, for the devices following them: simultaneous reads of several devices share a query.
///
/// Only for a remote database, where each query is a message. A device following a log mostly reads a few small
/// entries, or none; everything else is left to a separate query.
struct LogTails: Sendable {
    private struct Position: Hashable {
        let account: Int64
        let container: String
        let after: Int64
    }

    private struct Tail {
        /// The end of the log.
        let end: UInt64
        /// The digest of the log up to the position; nil if the log ends before.
        let digest: Digest?
        var page: PagePayloads
    }

    /// The most entries of a log returned by a query, and the longest of them in bytes. With ``BatchedLookup/limit`` a
    /// response has at most 8 MiB.
    private static let maximum = (entries: 32, bytes: 4_096)

    private let lookup: BatchedLookup<Position, Tail>

    /// Nil for a database in this process.
    init?(_ database: any StorageDatabase) {
        guard database.isRemote else { return nil }
        lookup = BatchedLookup { try await Self.read($0, from: database) }
    }

    /// Returns the page after `after` if it reaches the end of the log; nil if it may not, or if the log is not in
    /// order.
    func page(
        of name: ContainerName, _ account: AccountID, after: LogPosition, limit: Int
    ) async throws -> LogPage? {
        let position = Position(
            account: account.value, container: name.text, after: Int64(clamping: after.sequence.value))
        guard let tail = try await lookup.value(of: position) else { return nil }
        try LogStore.require(after, found: tail.digest, in: name)
        guard tail.page.end == tail.end, tail.page.payloads.count <= limit else { return nil }
        return LogPage(first: after.sequence.next, payloads: tail.page.payloads)
    }

    private static func read(
        _ positions: [Position], from database: any StorageDatabase
    ) async throws -> [Position: Tail] {
        let count = BatchedLookup<Position, Tail>.places(for: positions.count)
        // The number of no account, for filling up.
        let nowhere = Position(account: -1, container: "", after: 0)
        let all = positions + Array(repeating: nowhere, count: count - positions.count)
        let places = (0..<count).map { "(\($0), ?, ?, ?)" }.joined(separator: ", ")
        return try await database.readOnce { db in
            let arguments = all.flatMap { position -> [any StorageValueConvertible] in
                [position.account, position.container, position.after]
            }
            var tails: [Position: Tail] = [:]
            try db.forEachRow(
                """
                SELECT wanted.place, container.sequence, tail.sequence, tail.payload, known.digest
                FROM (VALUES \(places)) AS wanted (place, account, name, after)
                JOIN container ON container.account = wanted.account AND container.name = wanted.name
                LEFT JOIN entry AS known ON known.container = container.id AND known.sequence = wanted.after
                LEFT JOIN LATERAL (
                    SELECT sequence, CASE WHEN LENGTH(payload) <= \(maximum.bytes) THEN payload END AS payload FROM entry
                    WHERE entry.container = container.id AND entry.sequence > wanted.after
                    ORDER BY entry.sequence LIMIT \(maximum.entries)) AS tail ON TRUE
                """, arguments
            ) { row in
                guard let position = try positions.element(at: row[0]) else { return true }
                var tail =
                    try tails[position]
                    ?? Tail(
                        end: UInt64(clamping: row[1] as Int64), digest: LogStore.digest(row[4]),
                        page: PagePayloads(after: UInt64(clamping: position.after)))
                // The standard leaves the order of the rows open: an unordered tail is incomplete.
                if let sequence = try row[2] as Int64?, let payload = try row[3] as Data? {
                    _ = tail.page.add(payload, at: UInt64(clamping: sequence))
                }
                tails[position] = tail
                return true
            }
            return tails
        }
    }
}

extension Array {
    /// Returns nil for an index behind the end.
    fileprivate func element(at index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
