import Foundation
import GRDB
import TestSupport
import Testing
import UbiquityData

extension EndToEnd {
    @Suite("Databases of programs that use no library")
    struct SharedFileTests {
        /// Writes to a database as scripts do: inserts rows, adds to a shared row's balance, and deletes some own rows.
        private static let script = """
            from random import random
            from sqlite3 import connect
            from sys import argv
            path, device, first, count = argv[1], argv[2], int(argv[3]), int(argv[4])
            base = connect(path, timeout=60)
            base.execute("PRAGMA foreign_keys = ON")
            for i in range(first, first + count):
                with base:
                    base.execute("INSERT INTO account VALUES (?, ?, 0)", (f"{device} {i}", f"name {random()}"))
                    base.execute("INSERT INTO booking VALUES (?, ?, ?)", (f"{device} {i}", f"{device} {i}", "text"))
                with base:
                    base.execute("UPDATE account SET balance = balance + 1, name = ? WHERE id = 'all'", (device,))
                if i % 5 == 0:
                    with base:
                        base.execute("DELETE FROM booking WHERE id = ?", (f"{device} {i}",))
                        base.execute("DELETE FROM account WHERE id = ?", (f"{device} {i}",))
            """
        private static let schema = """
            CREATE TABLE account(id TEXT PRIMARY KEY NOT NULL, name TEXT, balance INTEGER NOT NULL DEFAULT 0);
            CREATE TABLE booking(id TEXT PRIMARY KEY NOT NULL, account TEXT NOT NULL REFERENCES account(id), text TEXT);
            INSERT INTO account VALUES ('all', 'shared', 0);
            """

        /// The file of a device, and the device.
        private struct Side: Sendable {
            let device: TestDevice
            let file: String
            let script: String

            init(_ device: TestDevice, in test: TestDevices) {
                self.device = device
                file = "\(test.root)/\(device.name).sqlite"
                script = "\(test.root)/write.py"
            }

            func sql(_ sql: String) async throws -> String {
                try await device.runner.run("sqlite3", [file, sql], in: "/").text()
            }

            func write(from first: Int, count: Int) async throws {
                let arguments = [script, file, device.name, "\(first)", "\(count)"]
                try await device.runner.run("python3", arguments, in: "/").text()
            }

            func database(_ arguments: String...) async throws -> String {
                try await device.ubiquity(["database"] + arguments + ["--mount", device.mount]).text()
            }

            private struct Response: Decodable {
                struct Database: Decodable {
                    let state: String
                    let pending: Int
                    let identifier: String
                }
                let databases: [Database]
            }

            private func status() async throws -> Response.Database? {
                let text = try await database("status", "--json")
                return try JSONDecoder().decode(Response.self, from: Data(text.utf8)).databases.first
            }

            func identifier() async throws -> String? { try await status()?.identifier }

            func isCurrent() async throws -> Bool {
                let status = try await status()
                return status?.state == "current" && status?.pending == 0
            }

            func dump() async throws -> String {
                try await sql("SELECT * FROM account ORDER BY id; SELECT * FROM booking ORDER BY id")
            }
        }

        private func share(_ test: TestDevices, _ a: Side) async throws {
            try Self.script.write(toFile: a.script, atomically: true, encoding: .utf8)
            _ = try await a.sql(Self.schema)
            try await a.device.ubiquity([
                "database", "share", a.file, "--name", "ledger", "--counter", "account.balance", a.device.mount,
            ]).text()
            try await a.device.sync()
        }

        /// Attaches a nonexistent file, once the device knows the database.
        private func attach(_ b: Side) async throws {
            try await b.device.sync()
            try await eventually("the tables arrive") {
                try await b.device.ubiquity(["database", "attach", "ledger", b.file, b.device.mount]).status == 0
            }
        }

        private func areEqual(_ a: Side, _ b: Side, current: [Side]) async throws -> Bool {
            for side in current { guard try await side.isCurrent() else { return false } }
            let dumps = (try await a.dump(), try await b.dump())
            return dumps.0 == dumps.1
        }

        @Test("scripts on two devices that write offline, at the same time and while daemons are killed lose no row")
        func scripts() async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                let (a, b) = (Side(test.devices[0], in: test), Side(test.devices[1], in: test))
                try await share(test, a)
                try await attach(b)
                try await eventually("the first row arrives") { try await b.sql("SELECT id FROM account") == "all" }
                for round in 0..<3 {
                    if round == 1 { try test.cloud.goOffline() }
                    let first = round * 100
                    async let one: Void = a.write(from: first, count: 100)
                    async let two: Void = b.write(from: first, count: 100)
                    // The programs continue meanwhile.
                    let killed = [a, b][round % 2]
                    try await killed.device.kill9()
                    try await killed.device.start()
                    _ = try await (one, two)
                    if round == 1 { try test.cloud.goOnline() }
                }
                try await eventually("both are in step") {
                    for side in [a, b] { try await side.device.sync() }
                    return try await areEqual(a, b, current: [a, b])
                }
                for side in [a, b] {
                    #expect(try await side.sql("PRAGMA integrity_check; PRAGMA foreign_key_check") == "ok")
                    // 300 rows of each device, minus each fifth, which was deleted, and the shared row.
                    #expect(try await side.sql("SELECT count(*) FROM account") == "481")
                    #expect(try await side.sql("SELECT count(*) FROM booking") == "480")
                    #expect(try await side.sql("SELECT balance FROM account WHERE id = 'all'") == "600")
                }
            }
        }

        @Test("a script on one device and a program with the library on another share a database")
        func mixed() async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                let (a, b) = (Side(test.devices[0], in: test), Side(test.devices[1], in: test))
                try await share(test, a)
                try await b.device.sync()
                let folder = URL(filePath: "\(b.device.mount)/CloudDocs/Databases/ledger")
                let identifier = try #require(await a.identifier())
                let database = try UbiquitousDatabase(
                    path: b.file,
                    tables: [UbiquitousTable("account", counters: ["balance"]), UbiquitousTable("booking")],
                    identifier: identifier, deviceName: "B"
                ) { writer in
                    try writer.write { db in
                        try db.execute(sql: Self.schema.replacing(/INSERT.*/, with: ""))
                    }
                }
                try await a.write(from: 0, count: 50)
                for number in 0..<50 {
                    try database.write { db in
                        try db.execute(
                            sql: "INSERT INTO account VALUES (?, 'library', 1)", arguments: ["B \(number)"])
                    }
                }
                try database.publish(to: folder)
                try await eventually("both have all rows") {
                    for side in [a, b] { try await side.device.sync() }
                    try database.importChanges(from: folder)
                    let count = try await a.sql("SELECT count(*) FROM account")
                    return try await count == "91" ? areEqual(a, b, current: [a]) : false
                }
                try database.close()
                #expect(try await a.sql("PRAGMA integrity_check") == "ok")
            }
        }

        @Test("mistakes of a newcomer are refused with what to do, and a helper that is killed is started again")
        func mistakes() async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                let (a, b) = (Side(test.devices[0], in: test), Side(test.devices[1], in: test))
                try await share(test, a)
                let device = a.device
                func fails(_ arguments: [String], _ status: Int32, _ words: String) async throws {
                    let outcome = try await device.ubiquity(["database"] + arguments)
                    #expect(outcome.status == status && outcome.errors.contains(words), "\(outcome)")
                }
                try await fails(["share", "\(test.root)/none", "--name", "x", device.mount], 1, "no such file")
                try await fails(
                    ["share", a.file, "--name", "ledger", device.mount], 6, "shared from this device already")
                try await fails(["share", a.file, "--name", "a/b", device.mount], 64, "cannot be the name")
                try await fails(["share", "\(device.documents)/x", "--name", "x", device.mount], 6, "in the cloud")
                try await fails(["attach", "ledgre", "\(test.root)/n", device.mount], 1, "It has: ledger")
                try await fails(["status", "ledgre", "--mount", device.mount], 1, "It has: ledger")
                try await fails(["history", "account", "none", "--mount", device.mount], 1, "no device has made a row")
                try await attach(b)
                // The database process, a child of the daemon.
                let daemon = try #require(device.daemon.pid)
                let killed = try await device.runner.run(
                    "pkill", ["-KILL", "-P", "\(daemon)", "-f", "ubiquityd databases"], in: "/")
                #expect(killed.status == 0)
                _ = try await a.sql("INSERT INTO account VALUES ('after', 'x', 0)")
                try await eventually("the change arrives although the process was killed") {
                    for side in [a, b] { try await side.device.sync() }
                    return try await b.sql("SELECT count(*) FROM account WHERE id = 'after'") == "1"
                }
                #expect(try await a.database("history", "account", "after").contains("made by this device"))
                // The mount's state shows a missing file, with its remedy, until the file is back.
                let problem =
                    "the shared database ledger is not in step with the cloud: the file is missing: \(a.file). Put it"
                func isNamed() async throws -> Bool {
                    try await device.ubiquity(["status", device.mount]).text().contains(problem)
                }
                try FileManager.default.moveItem(atPath: a.file, toPath: "\(a.file).away")
                try await eventually("the state of the mount names the file") { try await isNamed() }
                try FileManager.default.moveItem(atPath: "\(a.file).away", toPath: a.file)
                try await eventually("the file is back") { try await !isNamed() }
                _ = try await a.database("detach", "ledger")
                #expect(try await a.sql("SELECT count(*) FROM sqlite_master WHERE name LIKE '_ubq_%'") == "0")
                #expect(try await a.sql("SELECT count(*) FROM account") == "2")
            }
        }
    }
}
