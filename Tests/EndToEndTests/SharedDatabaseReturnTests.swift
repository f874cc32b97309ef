import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// A directory cloud is put back to a copy behind the daemons' back, and the devices are reset.
    @Suite("Shared databases after the cloud went back")
    struct SharedDatabaseReturnTests {
        private struct Side: Sendable {
            let device: TestDevice
            let file: String

            init(_ device: TestDevice, in test: TestDevices) {
                self.device = device
                file = "\(test.root)/\(device.name).sqlite"
            }

            @discardableResult
            func sql(_ sql: String) async throws -> String {
                try await device.runner.run("sqlite3", [file, ".timeout 60000", sql], in: "/").text()
            }

            func insert(_ id: String) async throws { try await sql("INSERT INTO note VALUES ('\(id)', '\(id)')") }

            func rows() async throws -> String {
                try await sql("SELECT group_concat(id, ' ') FROM (SELECT id FROM note ORDER BY id)")
            }

            func attach() async throws {
                try await device.sync()
                try await eventually("the tables arrive") {
                    try await device.ubiquity(["database", "attach", "ledger", file, device.mount]).status == 0
                }
            }

            func status() async throws -> String {
                try await device.ubiquity(["database", "status", "--mount", device.mount]).text()
            }

            func reset() async throws {
                let said = try await device.ubiquity(["reset", device.mount, "--yes"]).text()
                #expect(!said.contains("Recovered"), "\(said)")
            }

            /// Waits for the rows, and for an idle status.
            func expect(_ rows: String) async throws {
                try await eventually("\(device.name) has \(rows)") {
                    guard try await self.rows() == rows else { return false }
                    return try await status().contains("everything is sent and received")
                }
            }
        }

        private func copy(_ source: String, to target: String) throws {
            // `cp` copies sockets, too.
            let copy = try Process.run(
                URL(filePath: "/bin/sh"), arguments: ["-ec", "rm -rf \(target); cp -a \(source) \(target)"])
            copy.waitUntilExit()
            try #require(copy.terminationStatus == 0)
        }

        /// Shares a database on two devices, puts the cloud back to before some of the rows, and calls `reset`.
        private func putBack(
            diverging: Bool, _ reset: (Side, Side) async throws -> Void
        ) async throws {
            try await TestDevices.with(devices: ["A", "B", "C"]) { test in
                let (a, b) = (Side(test.devices[0], in: test), Side(test.devices[1], in: test))
                let c = Side(test.devices[2], in: test)
                try await a.sql("CREATE TABLE note(id TEXT PRIMARY KEY NOT NULL, text TEXT)")
                try await a.device.ubiquity(["database", "share", a.file, "--name", "ledger", a.device.mount]).text()
                try await a.device.sync()
                try await b.attach()
                try await a.insert("1")
                try await b.insert("2")
                for side in [a, b] { try await side.expect("1 2") }
                for device in test.devices { try await device.stop() }
                try copy(test.cloud.directory, to: "\(test.cloud.directory)-copy")
                for side in [a, b] { try await side.device.start() }
                try await a.insert("3 by A")
                try await b.insert("4 by B")
                for side in [a, b] { try await side.expect("1 2 3 by A 4 by B") }
                for side in [a, b] { try await side.device.stop() }
                try copy("\(test.cloud.directory)-copy", to: test.cloud.directory)
                for side in [a, b] { try await side.device.start() }
                for side in [a, b] {
                    try await eventually("the status is honest") { try await side.status().contains("is not followed") }
                    #expect(try await !side.status().contains("everything is sent and received"))
                }
                if diverging {
                    try await a.insert("5 by A")
                    try await b.insert("6 by B")
                }
                try await reset(a, b)
                let rows = "1 2 3 by A 4 by B" + (diverging ? " 5 by A 6 by B" : "")
                for side in [a, b] { try await side.expect(rows) }
                try await c.device.start()
                try await c.attach()
                try await c.insert("7 by C")
                for side in [a, b, c] { try await side.expect(rows + " 7 by C") }
                for side in [a, b, c] { #expect(try await side.device.list().isEmpty, "no file of rows is a document") }
            }
        }

        @Test("rows that the cloud lost return when both devices are reset, and a device that joins has them")
        func both() async throws {
            try await putBack(diverging: false) { a, b in
                async let one: Void = a.reset()
                async let two: Void = b.reset()
                _ = try await (one, two)
            }
        }

        @Test("rows that were written meanwhile return too, when one device is reset long after the other")
        func apart() async throws {
            try await putBack(diverging: true) { a, b in
                try await a.reset()
                try await a.expect("1 2 3 by A 4 by B 5 by A")
                try await b.reset()
            }
        }
    }
}
