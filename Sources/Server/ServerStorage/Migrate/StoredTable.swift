/// A table of a server as copied by a migration.
struct StoredTable: Hashable, Sendable {
    let name: String
    /// The key columns, in the order of pages.
    let key: [String]
    let others: [String]
    /// Whether its rows have numbers that are never reused.
    let isNumbered: Bool

    private init(_ name: String, key: [String], _ others: [String] = [], isNumbered: Bool = false) {
        self.name = name
        self.key = key
        self.others = others
        self.isNumbered = isNumbered
    }

    var columns: [String] { key + others }

    /// All tables copied by a migration. A table follows those that it refers to.
    static let all = [
        StoredTable(
            "account", key: ["id"],
            [
                "name", "identity", "quota", "used", "created", "keyValueBytes", "userHandle", "isOwner", "disabled",
            ], isNumbered: true),
        StoredTable("code", key: ["hash"], ["account", "expires", "scope", "deviceExpires", "wrongFactors"]),
        StoredTable(
            "device", key: ["id"],
            [
                "account", "name", "tokenHash", "created", "seen", "revoked", "resetAsked", "suspended", "scope",
                "expires",
            ], isNumbered: true),
        StoredTable("container", key: ["id"], ["account", "name", "sequence", "removals"], isNumbered: true),
        StoredTable("entry", key: ["container", "sequence"], ["key", "payload", "digest", "created", "isFree"]),
        StoredTable("chunk", key: ["container", "id"], ["size", "isTrusted", "touched", "content", "held"]),
        StoredTable(
            "session", key: ["id"], ["account", "hash", "browser", "created", "seen"], isNumbered: true),
        StoredTable(
            "link", key: ["id"],
            [
                "container", "hash", "name", "digest", "size", "layout", "salt", "password", "created", "expires",
                "suspended",
            ], isNumbered: true),
        StoredTable("oneTimePassword", key: ["account"], ["secret", "confirmed", "lastStep"]),
        StoredTable("recoveryCode", key: ["account", "hash"]),
        StoredTable(
            "passkey", key: ["id"], ["account", "credential", "key", "domain", "counter", "name", "created", "used"],
            isNumbered: true),
        StoredTable("secret", key: ["name"], ["value"]),
        StoredTable("attempt", key: ["key"], ["until"]),
        StoredTable("usedChallenge", key: ["challenge"], ["expires"]),
    ]

    /// Columns assigned by the target itself: the number of an entry's row, used nowhere else, and the name of a
    /// chunk's object.
    static let assigned = ["entry": ["id"], "chunk": ["object"]]

    /// Tables that concern a database alone: the probe of `/health`, its bucket, the mark of a migration, and
    /// rediscoverable data: devices that are ahead, their states, and unfinished uploads.
    static let ownOfDatabase: Set<String> = ["health", "bucket", "migration", "ahead", "sender", "upload"]
}

// MARK: Statements

extension StoredTable {
    private func list(_ columns: [String]) -> String { columns.joined(separator: ", ") }
    private static func marks(_ count: Int) -> String { Array(repeating: "?", count: count).joined(separator: ", ") }

    /// Selects rows in the order of the key, from the first, or after a key passed in the arguments.
    func select(isFirst: Bool) -> String {
        let condition = isFirst ? "" : " WHERE (\(list(key))) > (\(Self.marks(key.count)))"
        return "SELECT \(list(columns)) FROM \(name)\(condition) ORDER BY \(list(key)) LIMIT ?"
    }

    func insert(rows: Int) -> String {
        let values = Array(repeating: "(\(Self.marks(columns.count)))", count: rows).joined(separator: ", ")
        return "INSERT INTO \(name) (\(list(columns))) VALUES \(values)"
    }
}
