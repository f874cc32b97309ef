import Foundation
import GRDB
import TestSupport
import Testing
import UbiquityData

extension EndToEnd {
    @Suite("Databases that merge")
    struct SharedDatabaseTests {
        /// A device's database, and the mount's folder through which it is shared.
        private struct Store: Sendable {
            let database: UbiquitousDatabase
            let folder: URL

            init(_ device: TestDevice, identifier: String? = nil) throws {
                folder = URL(filePath: "\(device.mount)/CloudDocs/Transactions")
                database = try UbiquitousDatabase(
                    path: "\(device.state)-ledger.sqlite", tables: [UbiquitousTable("account", counters: ["balance"])],
                    identifier: identifier, deviceName: device.name
                ) { writer in
                    try writer.write { db in
                        try db.execute(
                            sql:
                                "CREATE TABLE account(id TEXT PRIMARY KEY NOT NULL, name TEXT, balance INTEGER NOT NULL)"
                        )
                    }
                }
            }

            /// Inserts, updates and deletes rows, some of them shared with the second device.
            func act(_ random: inout SeededGenerator, count: Int) throws {
                for _ in 0..<count {
                    let id = "row \(random.number(0..<200))"
                    let sql =
                        switch random.number(0..<5) {
                        case 0, 1: "INSERT OR REPLACE INTO account VALUES (?, 'new', 0)"
                        case 2, 3: "UPDATE account SET balance = balance + 1, name = name || '.' WHERE id = ?"
                        default: "DELETE FROM account WHERE id = ?"
                        }
                    try database.write { try $0.execute(sql: sql, arguments: [id]) }
                }
            }

            func values(_ sql: String) async throws -> [String] {
                try await database.reader.read { try String.fetchAll($0, sql: sql) }
            }

            func rows() async throws -> [String] {
                try await values("SELECT id || ' ' || name || ' ' || balance FROM account ORDER BY id")
            }
        }

        @Test("two devices that write a database offline and at the same time have the same rows afterwards")
        func twoDevices() async throws {
            try await TestDevices.withTwo { cloud, a, b in
                let one = try Store(a)
                let two = try Store(b, identifier: one.database.identifier)
                var random = SeededGenerator(seed: 18)
                for round in 0..<4 {
                    if round % 2 == 1 { try cloud.goOffline() }
                    for store in [one, two] {
                        try store.act(&random, count: 250)
                        #expect(try store.database.publish(to: store.folder) == 1)
                    }
                    if round % 2 == 1 { try cloud.goOnline() }
                    for device in [a, b] { try await device.sync() }
                    try await eventually("both have all of round \(round)") {
                        for store in [one, two] { try store.database.importChanges(from: store.folder) }
                        var isDone = true
                        for store in [one, two] {
                            let pending = try await store.values("SELECT count(*) FROM _ubq_pending")
                            let files = try await store.values("SELECT sum(file) FROM _ubq_device")
                            isDone = isDone && pending == ["0"] && files == ["\(2 * (round + 1))"]
                        }
                        return isDone
                    }
                    let rows = try await one.rows()
                    #expect(try await two.rows() == rows)
                    #expect(!rows.isEmpty)
                }
                for store in [one, two] {
                    #expect(try await store.values("PRAGMA integrity_check") == ["ok"])
                    try store.database.close()
                }
            }
        }
    }
}
