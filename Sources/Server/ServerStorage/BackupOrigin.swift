import GRDB

/// Which server a database is of: its accounts, by the names of their clouds now and before.
struct BackupOrigin: Sendable {
    /// Accounts by name, with every identity that their clouds had; none for an account that no device has used.
    private let identities: [String: Set<String>]

    init(_ db: Database) throws {
        var found: [String: Set<String>] = [:]
        for row in try Row.fetchAll(db, sql: "SELECT id, name, identity FROM account") {
            let former =
                try db.tableExists("formerIdentity")
                ? String.fetchAll(
                    db, sql: "SELECT identity FROM formerIdentity WHERE account = ?", arguments: [row["id"] as Int64])
                : []
            found[row["name"]] = Set(former).union((row["identity"] as String?).map { [$0] } ?? [])
        }
        identities = found
    }

    var isEmpty: Bool { identities.isEmpty }

    /// A few names of accounts, for a message.
    var listed: String { identities.keys.sorted().prefix(5).joined(separator: ", ") }

    /// Whether an account of both is the same one: by its cloud, or by its name where no device has used it.
    func sharesAccount(with other: BackupOrigin) -> Bool {
        let own = identities.values.reduce(into: Set()) { $0.formUnion($1) }
        let others = other.identities.values.reduce(into: Set()) { $0.formUnion($1) }
        if !own.isDisjoint(with: others) { return true }
        return identities.contains { $0.value.isEmpty && other.identities[$0.key] != nil }
    }
}
