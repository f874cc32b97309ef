import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Deleted items, permanently removed.
    @Suite("Deleted items, removed for good")
    struct DeletedPurgeTests {
        /// Runs `body` with two devices signed in at a server, with an account of 16 MiB.
        private func withTwo(_ body: (ServerProcess, TestDevices) async throws -> Void) async throws {
            try await ServerProcess.with { server in
                _ = try server.command(["account", "quota", "anna", "16M"])
                try await TestDevices.with(devices: ["A", "B"], cloud: server.url) { test in
                    try await test.a.ubiquity(["login", server.url, "--code", server.code()]).text()
                } _: {
                    try await body(server, $0)
                }
            }
        }

        /// Returns the used space in `df`.
        private func used(_ device: TestDevice) async throws -> UInt64 {
            let text = try await device.shell("df -B1 --output=used . | tail -n 1")
            return try #require(UInt64(text.trimmingCharacters(in: .whitespaces)))
        }

        private static let random = "head -c 4000000 /dev/urandom"

        @Test("a used-up quota is freed by its user: what was deleted is removed for good, and the next document fits")
        func quota() async throws {
            try await withTwo { _, test in
                let (a, b) = (test.a, test.b)
                try await a.shell("mkdir d; for i in 1 2 3; do \(Self.random) > d/$i; done; echo kept > kept")
                try await a.sync()
                try await eventually("B has them") { try await b.list("d") == ["1", "2", "3"] }
                try await a.shell("rm -r d")
                try await a.sync()
                try await eventually("df shows them") { try await used(a) > 12_000_000 }
                try await a.shell("head -c 6000000 /dev/urandom > next")
                try await eventually("it does not fit") {
                    try await a.ubiquity(["status", a.path("next")]).text().contains(
                        "deleted --purge` frees up to 11 MiB")
                }
                let refused = try await a.ubiquity(["deleted", "--purge", a.mount])
                #expect(refused.status == 6 && refused.errors.contains("--yes"), "\(refused)")
                let said = try await a.ubiquity(["deleted", "--purge", "--yes", a.mount]).text()
                #expect(said.contains("Removed 4 deleted items (11 MiB with earlier versions) for good."), "\(said)")
                try await a.sync()
                #expect(try await a.ubiquity(["deleted", a.mount]).text().contains("Nothing was deleted"))
                try await eventually("its bytes are free, and the next document is there") {
                    let names = try await b.list()
                    return try await used(a) < 7_000_000 && names.contains("next")
                }
                try await eventually("B has no deleted items either") {
                    try await b.ubiquity(["deleted", b.mount]).text().contains("Nothing was deleted")
                }
                #expect(try await b.contents("kept") == "kept")
            }
        }

        @Test("an edit that a device made without the network survives the removal for good, with its bytes")
        func crossing() async throws {
            try await withTwo { _, test in
                let (a, b) = (test.a, test.b)
                try await a.shell("echo first > document")
                try await a.sync()
                try await eventually("B has it") { try await b.list() == ["document"] }
                #expect(try await b.contents("document") == "first")
                try await b.ubiquity(["offline", b.mount]).text()
                try await b.shell("echo edited > document")
                try await a.shell("rm document")
                try await a.sync()
                try await a.ubiquity(["deleted", "--purge", "--yes", a.mount]).text()
                try await a.sync()
                try await b.ubiquity(["online", b.mount]).text()
                try await b.sync()
                try await eventually("A has it again") { try await a.list() == ["document"] }
                #expect(try await a.contents("document") == "edited")
                #expect(try await a.ubiquity(["check", a.mount]).text().contains("0 problems"))
            }
        }

        @Test("only what was at a path, or was deleted long enough ago, is removed for good")
        func some() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let a = test.a
                try await a.shell("mkdir d e; echo 1 > d/x; echo 2 > e/y; echo 3 > z")
                try await a.sync()
                try await a.shell("rm -r d e z")
                try await a.sync()
                let young = try await a.ubiquity(["deleted", "--purge", "--yes", "--older-than", "1h", a.mount]).text()
                #expect(young == "There is nothing to remove.")
                let json = try await a.ubiquity(["deleted", "--purge", "--yes", "--json", a.path("d")]).text()
                #expect(json.contains("\"items\" : 2"), "\(json)")
                try await a.sync()
                let left = try await a.ubiquity(["deleted", a.mount]).text()
                #expect(!left.contains("Documents/d") && left.contains("Documents/e") && left.contains("Documents/z"))
                let gone = try await a.ubiquity(["restore", a.path("d")])
                #expect(gone.status != 0, "\(gone)")
                try await a.ubiquity(["restore", a.path("e")]).text()
                #expect(try await a.contents("e/y") == "2")
            }
        }

        @Test("a program removes one deleted item for good, with what was deleted with it, or all of a folder")
        func library() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let a = test.a
                try await a.shell("mkdir -p f/d g; echo 12345 > f/d/x; echo 1 > f/d/y; echo 12 > f/z; echo 3 > g/other")
                try await a.sync()
                try await a.shell("rm -r f/d f/z g/other")
                try await a.sync()
                let said = try await a.shell("\(a.binaries)/presenter-tool purge f d")
                // `d` had two documents; `z` has three bytes, and was not deleted a day ago.
                #expect(
                    said.split(separator: "\n") == ["d is gone", "left 1", "old 0", "bytes 3", "left 0"], "\(said)")
                try await a.sync()
                let left = try await a.ubiquity(["deleted", a.mount]).text()
                #expect(left.contains("other") && !left.contains("f/"), "\(left)")
            }
        }

        @Test("df and the figures of `storage` follow a sync and a removal for good, and add up")
        func figures() async throws {
            try await withTwo { _, test in
                let a = test.a
                func storage() async throws -> Storage {
                    let text = try await a.ubiquity(["storage", "--json", "--mount", a.mount]).text()
                    return try JSONDecoder().decode(Storage.self, from: Data(text.utf8))
                }
                func expectSum(_ comment: Comment) async throws {
                    let cloud = try await storage().cloud
                    #expect(cloud.parts.total == cloud.counted && cloud.quota == 16 << 20, comment)
                    try await eventually("df follows: \(comment)") {
                        try await used(a).distance(to: cloud.counted).magnitude <= 4_096
                    }
                }
                try await a.shell("mkdir d; for i in 1 2; do \(Self.random) > d/$i; done; cp d/1 d/copy")
                try await a.sync()
                try await expectSum("documents")
                var parts = try await storage().cloud.parts
                #expect(parts.documents > 8_000_000 && parts.shared > 4_000_000 && parts.shared < 4_500_000, "\(parts)")
                #expect(parts.unnamed == 0 && parts.deleted == 0, "\(parts)")
                try await a.shell("rm -r d")
                try await a.sync()
                try await expectSum("deleted")
                parts = try await storage().cloud.parts
                #expect(parts.deleted > 8_000_000 && parts.documents == 0, "\(parts)")
                let table = try await a.ubiquity(["storage", "--mount", a.mount]).text()
                #expect(
                    table.contains("`ubiquity deleted --purge`") && table.contains("of the quota of 16 MiB"), "\(table)"
                )
                try await a.ubiquity(["deleted", "--purge", "--yes", a.mount]).text()
                try await a.sync()
                try await eventually("the server has freed them") { try await storage().cloud.counted < 100_000 }
                try await expectSum("removed for good")
            }
        }

        private struct Storage: Decodable {
            struct Cloud: Decodable {
                let parts: Parts
                let counted, quota: UInt64
            }
            struct Parts: Decodable {
                let documents, shared, versions, deleted, links, unnamed, log: UInt64
                var total: UInt64 { documents + versions + deleted + links + unnamed + log }
            }
            let cloud: Cloud
        }

        @Test("a document that is larger than the free space is refused before its bytes travel, with the figures")
        func tooLarge() async throws {
            try await withTwo { _, test in
                let a = test.a
                try await a.shell("echo small > small")
                try await a.sync()
                try await eventually("df shows the quota") { try await used(a) < 1_000_000 }
                try await a.shell("head -c 30000000 /dev/urandom > large")
                try await eventually("it is refused") {
                    let said = try await a.ubiquity(["status", a.path("large")]).text()
                    return said.contains("of 29 MiB does not fit") && said.contains("16 MiB are free")
                }
                #expect(try await used(a) < 1_000_000)
            }
        }
    }
}
