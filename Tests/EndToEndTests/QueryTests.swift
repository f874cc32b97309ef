import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Programs find documents and are notified of them, through the command line and through the library.
    @Suite("Queries")
    struct QueryTests {
        @Test("find prints what matches, in order, and explains errors in a predicate")
        func find() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                try await test.a.shell(
                    "mkdir d; seq 1 1000 > d/large.txt; echo 1 > small.TXT; echo 1 > other.md; mkdir x.txt")
                let found = try await test.a.ubiquity(
                    ["find", "name LIKE[c] '*.txt' AND kind == 'file'", test.a.mount, "--sort", "size", "--reverse"]
                ).text()
                #expect(found == ["d/large.txt", "small.TXT"].map { test.a.path($0) }.joined(separator: "\n"))
                let data = try await test.a.ubiquity(
                    ["find", "name ENDSWITH 'txt'", "--mount", test.a.mount, "--scope", "data"])
                #expect(try data.text().isEmpty)
                let wrong = try await test.a.ubiquity(["find", "size LIKE 'x'", test.a.mount])
                #expect(wrong.status == 64 && wrong.errors.contains("at character 6"), "\(wrong)")
                let json = try await test.a.ubiquity(["find", "size > 1000", test.a.mount, "--json"]).text()
                let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
                #expect((object?["items"] as? [[String: Any]])?.first?["size"] as? Int == 3893)
            }
        }

        private struct Item: Decodable {
            let path: String
            let kind: String
            let size: Int
            let downloadingStatus: String
            let percentDownloaded: Double
            let isUploaded: Bool
            let hasUnresolvedConflicts: Bool
            let conflictOf: String?
        }

        private func items(_ predicate: String, _ device: TestDevice) async throws -> [Item] {
            struct Answer: Decodable { let items: [Item] }
            let text = try await device.ubiquity(["find", predicate, device.mount, "--json"]).text()
            return try JSONDecoder().decode(Answer.self, from: Data(text.utf8)).items
        }

        @Test("a package is one result, with the same state and size as in status, from placeholder to complete")
        func packages() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell(
                    "mkdir -p d.rtfd/in; seq 1 1000 > d.rtfd/large; echo 1 > d.rtfd/in/inner.txt; mkdir f")
                try await a.sync()
                try await b.sync()
                #expect(
                    try await items("TRUEPREDICATE", b).map(\.path).sorted() == [
                        "CloudDocs/Documents/d.rtfd", "CloudDocs/Documents/f",
                    ])
                let away = try #require(try await items("status == 'notDownloaded'", b).first)
                #expect(away.kind == "package" && away.size == 3895 && away.percentDownloaded == 0, "\(away)")
                #expect(try await b.status("d.rtfd").downloadingStatus == "notDownloaded")
                #expect(try await items("size == 3895 AND name == *.rtfd", b).count == 1)
                try await b.lasting("find \"status == 'current' AND kind == 'package'\" '\(b.mount)' --live") { query in
                    try await b.download("d.rtfd")
                    try await query.prints("it once all of it is here") { $0 == "+ \(b.path("d.rtfd"))" }
                    try await b.evict("d.rtfd/in/inner.txt")
                    try await query.prints("that a file is evicted") { $0 == "- \(b.path("d.rtfd"))" }
                    try await b.download("d.rtfd")
                    try await query.prints("it again") { $0 == "+ \(b.path("d.rtfd"))" }
                }
            }
        }

        @Test("a query finds a document in conflict, and its other versions name their devices")
        func conflicts() async throws {
            try await TestDevices.withTwo { cloud, a, b in
                let sibling = try await ConflictTests.makeConflict(cloud, a, b)
                let found = try await items("name LIKE 'doc*'", a)
                #expect(found.first { $0.path.hasSuffix("/doc.txt") }?.hasUnresolvedConflicts == true)
                #expect(found.first { $0.path.hasSuffix(sibling) }?.conflictOf == "CloudDocs/Documents/doc.txt")
                #expect(try await items("conflictOf != NULL", a).map(\.path) == ["CloudDocs/Documents/\(sibling)"])
                #expect(try await items("conflictOf == NULL", a).map(\.path) == ["CloudDocs/Documents/doc.txt"])
                // Programs learn of siblings through NSFileVersion.
                let tool = "UBIQUITY_MOUNT='\(a.mount)' \(a.binaries)/presenter-tool find"
                #expect(try await a.shell("\(tool) .") == "doc.txt")
            }
        }

        @Test("find with words searches names, and names are written byte by byte to a pipe")
        func words() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                try await test.a.shell("touch 'My Plan.txt' other $'odd\\nname'")
                let found = { (arguments: [String]) in
                    try await test.a.ubiquity(["find"] + arguments + ["--mount", test.a.mount]).text()
                }
                #expect(try await found(["plan"]) == test.a.path("My Plan.txt"))
                #expect(try await found(["odd"]) == test.a.path("odd\nname"))
                let command = test.a.command(["find", "odd", "--mount", test.a.mount, "--print0"])
                #expect(try await test.a.shell("\(command) | xargs -0 ls -d").hasSuffix("name"))
                #expect(try await test.a.shell("\(command) | tr '\\0' '#'") == test.a.path("odd\nname#"))
            }
        }

        @Test("a running query of a program accepts another predicate, scope and order, and starts over")
        func restart() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                try await test.a.shell("mkdir d; echo 1 > d/b.txt; echo 22 > d/a.md; echo 333 > c.txt")
                let tool = "UBIQUITY_MOUNT='\(test.a.mount)' \(test.a.binaries)/presenter-tool refind"
                let found = try await test.a.shell("\(tool) d").split(separator: "\n")
                #expect(
                    found == [
                        "a.md", "b.txt", "c.txt", "d", "-", "b.txt", "c.txt", "-", "c.txt", "b.txt", "-", "b.txt", "-",
                        "b.txt",
                    ])
            }
        }

        @Test("a query that a thread with a run loop starts delivers there, although the main thread waits")
        func runLoop() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                try await test.a.shell("mkdir d; echo 1 > d/a.txt")
                try await test.a.showing("presenter-tool", "findonthread d", first: "1 on the finder") { shown in
                    try await test.a.shell("echo 2 > d/b.txt")
                    try await shown.says("2 on the finder")
                }
            }
        }

        @Test("a program's query is limited to a folder and to items, and its delegate replaces results")
        func library() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                try await test.a.shell("mkdir -p d/e other; echo 1 > d/b; echo 1 > d/e/a; echo 1 > other/c")
                let tool = "UBIQUITY_MOUNT='\(test.a.mount)' \(test.a.binaries)/presenter-tool find"
                let all = try await test.a.shell("\(tool) d").split(separator: "\n")
                #expect(all == ["a", "b", "e"])
                #expect(try await test.a.shell("\(tool) d d/e/a other/c") == "a")
            }
        }

        @Test("a live query receives the changes of programs and other devices")
        func live() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell("echo 1 > before.txt")
                try await a.sync()
                try await eventually("B lists it") { try await b.list() == ["before.txt"] }
                try await b.lasting("find \"name LIKE '*.txt'\" '\(b.mount)' --live") { query in
                    try await query.prints("what there was") { $0 == "+ \(b.path("before.txt"))" }
                    try await a.shell("echo 2 > remote.txt; echo 3 > other.md")
                    try await query.prints("what another device made") { $0 == "+ \(b.path("remote.txt"))" }
                    try await b.shell("mkdir f; mv before.txt f/")
                    try await query.prints("the move") { $0 == "~ \(b.path("f/before.txt"))" }
                    try await b.shell("mv f g")
                    try await query.prints("the move of its folder") { $0 == "~ \(b.path("g/before.txt"))" }
                    try await b.shell("mv g/before.txt g/before.md")
                    try await query.prints("that it matches no more") { $0 == "- \(b.path("g/before.txt"))" }
                    try await a.shell("rm remote.txt")
                    try await query.prints("the deletion") { $0 == "- \(b.path("remote.txt"))" }
                    #expect(!query.lines.contains { $0.contains("other.md") })
                }
            }
        }

        @Test(
            "a live query on the sync state is updated when a document is uploaded, and when its bytes are downloaded")
        func liveState() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await b.lasting(
                    "find \"status == 'current' AND isUploaded == TRUE AND name == 'f'\" '\(b.mount)' --live"
                ) {
                    query in
                    try await a.shell("echo 1 > f")
                    try await a.sync()
                    try await eventually("B lists it") { try await b.list() == ["f"] }
                    #expect(query.lines.isEmpty)
                    try await b.shell("cat f > /dev/null")
                    try await query.prints("it once it is read") { $0 == "+ \(b.path("f"))" }
                    try await b.ubiquity(["evict", b.path("f")]).text()
                    try await query.prints("that it is evicted") { $0 == "- \(b.path("f"))" }
                }
            }
        }

        @Test("the monitor reports items that are added, moved, changed and removed")
        func monitor() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await b.lasting("monitor '\(b.mount)'") { monitor in
                    try await monitor.prints("the cloud's state") { $0.hasSuffix("cloud online") }
                    try await a.shell("echo 1 > f")
                    try await monitor.prints("the new item") { $0.hasSuffix("created \(b.path("f"))") }
                    try await b.shell("mv f g")
                    try await monitor.prints("the move") { $0.hasSuffix("moved \(b.path("f")) -> \(b.path("g"))") }
                    try await b.shell("echo 22 >> g")
                    try await monitor.prints("the change") { $0.hasSuffix("changed \(b.path("g"))") }
                    try await a.sync()
                    try await b.shell("rm g")
                    try await monitor.prints("the deletion") { $0.hasSuffix("removed \(b.path("g"))") }
                }
            }
        }
    }
}
