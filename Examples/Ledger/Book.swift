import Foundation
import GRDB
import UbiquityData

/// The accounts and bookings of one device. What it writes with SQL is shared; nothing else is to be done.
struct Book {
    let database: UbiquitousDatabase

    private static let tables = [
        // Two devices that use a new tag at the same time mean the same: its rows become one, and their bookings follow.
        UbiquitousTable("tag", unify: ["name"]),
        // What devices add to a balance is summed. Of two notes, a person chooses.
        UbiquitousTable("account", counters: ["balance"], conflicts: ["note"]),
        UbiquitousTable("booking"),
    ]

    /// - Parameter identifier: That of the ledger to join; nil for a file that is new, or has been opened before.
    init(path: String, joining identifier: String?) throws {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("accounts, tags and bookings") { db in
            // Keys are UUIDs, which no other device makes: two devices would give the same counted number to two rows.
            try db.execute(
                sql: """
                    CREATE TABLE tag(id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL UNIQUE);
                    CREATE TABLE account(
                        id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL UNIQUE, balance INTEGER NOT NULL DEFAULT 0,
                        note TEXT);
                    CREATE TABLE booking(
                        id TEXT PRIMARY KEY NOT NULL, account TEXT NOT NULL REFERENCES account ON DELETE CASCADE,
                        tag TEXT NOT NULL REFERENCES tag, cents INTEGER NOT NULL);
                    """)
        }
        let device = ProcessInfo.processInfo.environment["LEDGER_DEVICE"] ?? ProcessInfo.processInfo.hostName
        database = try UbiquitousDatabase(
            path: path, tables: Self.tables, identifier: identifier, deviceName: device
        ) { [migrator] in try migrator.migrate($0) }
    }

    // MARK: Writing

    func open(_ account: String) throws {
        try database.write { db in
            try db.execute(sql: "INSERT INTO account(id, name) VALUES (?, ?)", arguments: [Self.newKey(), account])
        }
    }

    /// One transaction here is one transaction on all devices: no device shows the booking without the balance.
    func add(_ cents: Int, to account: String, tag: String) throws {
        try database.write { db in
            let account = try key(of: account, db)
            try db.execute(
                sql: "INSERT INTO tag VALUES (?, ?) ON CONFLICT DO NOTHING", arguments: [Self.newKey(), tag])
            try db.execute(
                sql: "INSERT INTO booking SELECT ?, ?, id, ? FROM tag WHERE name = ?",
                arguments: [Self.newKey(), account, cents, tag])
            try db.execute(
                sql: "UPDATE account SET balance = balance + ? WHERE id = ?", arguments: [cents, account])
        }
    }

    func set(_ column: String, of account: String, to value: String) throws {
        try database.write { db in
            try db.execute(
                sql: "UPDATE account SET \(column) = ? WHERE id = ?", arguments: [value, key(of: account, db)])
        }
    }

    private static func newKey() -> String { UUID().uuidString }

    private func key(of account: String, _ db: Database) throws -> String {
        guard let key = try String.fetchOne(db, sql: "SELECT id FROM account WHERE name = ?", arguments: [account])
        else { throw Problem("There is no account \(account).") }
        return key
    }

    // MARK: Reading

    func list() throws -> [String] {
        try database.reader.read { db in
            try String.fetchAll(
                db,
                sql: """
                    SELECT name || ' ' || balance || coalesce(' (' || note || ')', '') FROM account ORDER BY name
                    """)
                + String.fetchAll(
                    db,
                    sql: """
                        SELECT '  ' || account.name || ' ' || cents || ' ' || tag.name
                        FROM booking JOIN account ON account.id = account JOIN tag ON tag.id = tag
                        ORDER BY account.name, tag.name, cents
                        """)
        }
    }

    // MARK: Sharing

    /// A program with a window would publish at most once a second after a write, and import when the folder changes.
    func sync(through folder: URL) throws -> String {
        let sent = try database.publish(to: folder)
        let changes = try database.importChanges(from: folder)
        return "sent \(sent), received \(changes.files), changed rows \(changes.rows.count)"
    }
}
