import Foundation
import GRDB
import TestSupport
import Testing
import UbiquityData

extension EndToEnd {
    @Suite("Documents that move while their log is pruned")
    struct MovedDocumentTests {
        /// The manager of a device.
        private struct Shelf {
            let device: TestDevice
            let manager: UbiquitousDatabaseManager

            init(_ device: TestDevice) throws {
                self.device = device
                let schema = UbiquitousDatabaseSchema(tables: [UbiquitousTable("note")], deviceName: device.name) {
                    try $0.write { db in
                        try db.execute(sql: "CREATE TABLE IF NOT EXISTS note(id TEXT PRIMARY KEY NOT NULL, text TEXT)")
                    }
                }
                let container = URL(filePath: "\(device.mount)/CloudDocs")
                manager = try UbiquitousDatabaseManager(
                    folder: URL(filePath: "\(device.state)-documents"), schema: schema
                ) { UbiquitousDatabaseCloud(container: container, account: "account") }
            }

            func info() throws -> UbiquitousDatabaseInfo? { try manager.databases().first { $0.title == "Notes" } }

            func withNotes<T>(_ body: (UbiquitousDatabaseDocument) throws -> T) throws -> T {
                guard let info = try info() else { throw EndToEndError("\(device.name) has no notes") }
                let document = try manager.open(info)
                let result = Result { try body(document) }
                try document.close()
                return try result.get()
            }

            /// Follows the cloud once, and publishes and imports.
            func follow() async throws {
                try manager.refresh()
                if try manager.question() == .useCloud { try manager.answer(.use) }
                manager.waitForCopies()
                if try info()?.state == .current { try withNotes { _ = try $0.synchronize() } }
                try await device.sync()
            }

            func write(_ id: String, _ text: String) throws {
                try withNotes { document in
                    try document.write { db in
                        try db.execute(sql: "INSERT OR REPLACE INTO note VALUES (?, ?)", arguments: [id, text])
                    }
                }
            }

            func rows() throws -> [String: String] {
                try withNotes { document in
                    let (check, rows) = try document.reader.read { db in
                        (
                            try String.fetchOne(db, sql: "PRAGMA integrity_check"),
                            try Row.fetchAll(db, sql: "SELECT id, text FROM note").map {
                                ($0[0] as String, $0[1] as String)
                            }
                        )
                    }
                    guard check == "ok" else { throw EndToEndError("\(device.name): \(check ?? "no check")") }
                    return Dictionary(uniqueKeysWithValues: rows)
                }
            }

            /// The document's shared files, as listed by this device.
            func files() throws -> [String] {
                try FileManager.default.subpathsOfDirectory(atPath: "\(device.mount)/CloudDocs/Databases")
            }
        }

        private func meet(_ shelves: [Shelf], _ state: UbiquitousDatabaseInfo.State?) async throws {
            try await eventually("all have the document as \(state.map { "\($0)" } ?? "nothing")") {
                for shelf in shelves { try await shelf.follow() }
                return try shelves.allSatisfy { try $0.info()?.state == state }
            }
        }

        private func expectSame(_ shelves: [Shelf], _ expected: [String: String]) async throws {
            try await eventually("all have the same rows") {
                for shelf in shelves { try await shelf.follow() }
                return try shelves.allSatisfy { try $0.rows() == expected }
            } describe: {
                "\(try shelves.map { try $0.rows().mapValues(\.count) }) instead of \(expected.mapValues(\.count))"
            }
        }

        /// Writes on two devices until files of transactions were removed because of a baseline.
        private func writeUntilPruned(_ one: Shelf, _ two: Shelf, _ expected: inout [String: String]) async throws {
            var number = 0
            var written = expected
            try await eventually("files of transactions are removed", within: .seconds(180)) {
                number += 1
                // Large enough for a baseline to be due soon.
                let text = "\(number) " + String(repeating: "x", count: 400 << 10)
                try one.write("large", text)
                try two.write("two \(number)", "small")
                (written["large"], written["two \(number)"]) = (text, "small")
                for shelf in [one, two] { try await shelf.follow() }
                let files = try one.files()
                return files.contains { $0.hasSuffix(".baseline") } && !files.contains { $0.hasSuffix("/1.rows") }
            }
            expected = written
        }

        @Test(
            "a document that moves in and out of the cloud twice loses no row while its log is pruned; a new device joins"
        )
        func moves() async throws {
            try await TestDevices.with(devices: ["A", "B", "C"]) { test in
                let (a, b) = (try Shelf(test.devices[0]), try Shelf(test.devices[1]))
                for shelf in [a, b] { try await shelf.follow() }
                _ = try a.manager.create("Notes", isShared: false)
                var expected = ["first": "local"]
                try a.write("first", "local")
                for round in 0..<2 {
                    try a.manager.moveToCloud(#require(try a.info()))
                    try await meet([a, b], .current)
                    try await expectSame([a, b], expected)
                    try await writeUntilPruned(a, b, &expected)
                    try await expectSame([a, b], expected)
                    guard round == 0 else { break }
                    try a.manager.moveFromCloud(#require(try a.info()))
                    try await eventually("it is a document of this device only") {
                        for shelf in [a, b] { try await shelf.follow() }
                        return try a.info()?.state == .local && b.info() == nil
                    }
                    #expect(try a.rows() == expected)
                    #expect(try b.manager.keptDatabases().isEmpty)
                    try a.write("second", "local again")
                    expected["second"] = "local again"
                }
                let c = try Shelf(test.devices[2])
                try await meet([c], .current)
                try await expectSame([a, b, c], expected)
                try c.write("third", "of a device that joined")
                expected["third"] = "of a device that joined"
                try await expectSame([a, b, c], expected)
                for shelf in [a, b, c] { try shelf.manager.stop() }
            }
        }
    }
}
