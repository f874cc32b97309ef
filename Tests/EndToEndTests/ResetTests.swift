import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// A device rebuilds its state, on request or because the old state is damaged.
    @Suite("Reset")
    struct ResetTests {
        private static let recovered = "find Recovered -type f -printf '%f '"

        @Test("a reset uploads what it can, shows everything again, and keeps the old state as a backup")
        func healthy() async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                try await test.a.shell("mkdir d; echo one > d/one; seq 1 20000 > numbers; ln -s d/one link")
                try await test.a.sync()
                try await test.a.shell("echo untold > fresh")
                let said = try await test.a.ubiquity(["reset", test.a.mount, "--yes"]).text()
                #expect(said.contains("rebuilt this device's state from the cloud because a reset was requested."))
                #expect(said.contains("All documents were in the cloud."))
                try await eventually("all is back") {
                    try await test.a.list() == ["d", "fresh", "link", "numbers"]
                }
                #expect(try await test.a.contents("fresh") == "untold")
                try await test.a.shell("seq 1 20000 | cmp - numbers; echo after > d/after")
                try await test.expectConverged()
                let aside = try await test.a.shell("ls \(test.a.state)/set-aside/*")
                #expect(aside.contains("metadata.sqlite") && aside.contains("report.json"))
                let json = try await test.a.ubiquity(["reset", test.a.mount, "--yes", "--json"]).text()
                let reset = try JSONDecoder().decode(ResetDocument.self, from: Data(json.utf8))
                #expect(reset.format == 1 && reset.mount == test.a.mount && reset.rebuild.recovered == 0)
            }
        }

        private struct ResetDocument: Decodable {
            struct Rebuild: Decodable { let recovered: UInt64 }
            let format: Int
            let mount: String
            let rebuild: Rebuild
        }

        @Test("without --yes and without a terminal nothing is reset")
        func asks() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let outcome = try await test.a.ubiquity(["reset", test.a.mount])
                #expect(outcome.status == 6)
                #expect(
                    outcome.errors == "ubiquity: reset cancelled: \(test.a.mount). Use --yes to skip the question.\n")
            }
        }

        @Test("without its cloud a device refuses to be reset, and says why")
        func offline() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                try await test.a.shell("echo x > f")
                try await test.a.sync()
                try test.cloud.goOffline()
                let outcome = try await test.a.ubiquity(["reset", test.a.mount, "--yes"])
                #expect(outcome.status == 4)
                #expect(outcome.errors.contains("there is no cloud at \(test.cloud.directory)"), "\(outcome.errors)")
                #expect(outcome.errors.contains("Nothing was changed."))
                #expect(try await test.a.contents("f") == "x")
                try test.cloud.goOnline()
            }
        }

        @Test(
            "edits that were not uploaded are restored to Recovered when the database is missing, known contents are not"
        )
        func databaseGone() async throws {
            try await rebuilt(named: false) { state in
                for suffix in ["", "-wal", "-shm"] {
                    try? FileManager.default.removeItem(atPath: "\(state)/metadata.sqlite\(suffix)")
                }
            }
        }

        @Test("edits that were not uploaded are restored to Recovered when the database is empty")
        func databaseEmpty() async throws {
            try await rebuilt(named: false) { state in
                for suffix in ["-wal", "-shm"] {
                    try? FileManager.default.removeItem(atPath: "\(state)/metadata.sqlite\(suffix)")
                }
                try Damage.truncate("\(state)/metadata.sqlite", to: 0)
            }
        }

        @Test("edits that were not uploaded are restored to Recovered when the database begins with other bytes")
        func databaseHeader() async throws {
            try await rebuilt(named: false) { try Damage.flip("\($0)/metadata.sqlite", at: 0, count: 16) }
        }

        @Test("edits that were not uploaded are restored to Recovered when the database was cut in half")
        func databaseCut() async throws {
            try await rebuilt(named: nil) { state in
                let size =
                    try FileManager.default.attributesOfItem(atPath: "\(state)/metadata.sqlite")[.size] as? UInt64
                try Damage.truncate("\(state)/metadata.sqlite", to: (size ?? 0) / 2 / 4096 * 4096)
            }
        }

        @Test("without a database, unreadable documents do not count as absent")
        func unreadable() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let a = test.a
                try await a.shell("echo text > file")
                try await a.stop()
                let shard = "\(a.state)/content/00"
                try await a.runner.run(
                    "sh", ["-ec", "rm \(a.state)/metadata.sqlite*; mv \(shard) \(shard).aside; : > \(shard)"], in: "/"
                ).text()
                let refused = try await a.tryStart(cloud: test.cloud.url)
                #expect(refused.status != 0)
                #expect(refused.errors.contains("cannot be examined"), "\(refused.errors)")
                #expect(refused.errors.contains("Nothing was changed"), "\(refused.errors)")
            }
        }

        /// Stops a device with two unsent edits, damages its database, and mounts it again. `named` says whether the
        /// names of the edits survive; with nil they may.
        private func rebuilt(named: Bool?, _ damage: (_ state: String) throws -> Void) async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                let a = test.a
                try await a.shell("mkdir d; seq 1 30000 > d/known; echo old > edited")
                try await a.sync()
                try test.cloud.goOffline()
                try await a.shell("echo new > edited; mkdir e; echo fresh > e/fresh")
                try await a.stop()
                try damage(a.state)
                let refused = try await a.tryStart(cloud: test.cloud.url)
                #expect(refused.status != 0, "without its cloud it cannot be rebuilt")
                #expect(refused.errors.contains("Nothing was changed"), "\(refused.errors)")
                try test.cloud.goOnline()
                let started = try await a.tryStart(cloud: test.cloud.url)
                #expect(started.status == 0, "\(started)")
                #expect(started.errors.contains("rebuilt this device's state from the cloud because"), "\(started)")
                #expect(started.errors.contains("CloudDocs/Documents/Recovered/A 2"), "\(started)")
                try a.adopt(started)
                try await eventually("all is back") {
                    try await a.tryShell("seq 1 30000 | cmp - d/known && grep -q old edited").succeeded
                }
                let texts = try await a.shell("find Recovered -type f -exec cat {} + | sort")
                #expect(texts == "fresh\nnew")
                if named == true { #expect(try await a.shell(Self.recovered) == "edited fresh ") }
                try await test.expectConverged()
                #expect(try await test.b.shell("find Recovered -type f -exec cat {} + | sort") == "fresh\nnew")
            }
        }
    }
}
