import Foundation
import GRDB
import UbiquityData

/// The accounts and bookings of one device. What it writes with SQL is shared; nothing else is to be done.
struct Book {
    let store: any Store

    private static let tables = [
        // Two devices that use a new tag at the same time mean the same: its rows become one, and their bookings follow.
        UbiquitousTable("tag", unify: ["name"]),
        // What devices add to a balance is summed. Of two notes, a person chooses.
        UbiquitousTable("account", counters: ["balance"], conflicts: ["note"]),
        UbiquitousTable("booking"),
    ]

    private static var device: String {
        ProcessInfo.processInfo.environment["LEDGER_DEVICE"] ?? ProcessInfo.processInfo.hostName
    }

    private static var migrator: DatabaseMigrator {
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
        return migrator
    }

    /// What all ledgers of a shelf have in common.
    static var schema: UbiquitousDatabaseSchema {
        UbiquitousDatabaseSchema(
            tables: tables, deviceName: device, rules: UbiquitousDatabaseRules(asideRow: rename)
        ) { [migrator] in try migrator.migrate($0) }
    }

    /// Opens a file. `identifier` is that of the ledger to join; nil for a file that is new, or has been opened before.
    static func open(path: String, joining identifier: String?) throws -> UbiquitousDatabase {
        try UbiquitousDatabase(path: path, tables: tables, identifier: identifier, deviceName: device) {
            [migrator] in try migrator.migrate($0)
        }
    }

    /// The program's own rule: of two accounts with one name, the later gets the name of its device, too.
    @Sendable private static func rename(_ row: AsideRow, _ db: Database) throws {
        guard row.table == "account", case .valueTaken = row.reason, let name = row.values["name"] else { return }
        try db.execute(
            sql: "INSERT INTO account(id, name, balance, note) VALUES (?, ? || ' of ' || ?, ?, ?)",
            arguments: [row.key[0], name, row.origin.deviceName, row.values["balance"], row.values["note"]])
    }

    /// Carries out a command about the book, and returns what it prints; nil for an unknown one.
    func run(_ command: String, _ rest: [String]) throws -> [String]? {
        switch (command, rest.count) {
        case ("open", 1): try open(rest[0])
        case ("book", 3):
            guard let cents = Int(rest[1]) else { throw Problem("\(rest[1]) is no number of cents.") }
            try add(cents, to: rest[0], tag: rest[2])
        case ("rename", 2): try set("name", of: rest[0], to: rest[1])
        case ("note", 2): try set("note", of: rest[0], to: rest[1])
        case ("list", 0): return try list()
        default: return nil
        }
        return []
    }

    // MARK: Writing

    func open(_ account: String) throws {
        try store.write { db in
            try db.execute(sql: "INSERT INTO account(id, name) VALUES (?, ?)", arguments: [Self.newKey(), account])
        }
    }

    /// One transaction here is one transaction on all devices: no device shows the booking without the balance.
    func add(_ cents: Int, to account: String, tag: String) throws {
        try store.write { db in
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
        try store.write { db in
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
        try store.reader.read { db in
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

}

/// What a book is kept in: a database that the program opened itself, or a document of a shelf.
protocol Store {
    var reader: any DatabaseReader { get }
    func write<T>(_ updates: (Database) throws -> T) throws -> T
}

extension UbiquitousDatabase: Store {}
extension UbiquitousDatabaseDocument: Store {}
