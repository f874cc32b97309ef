import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Finding documents and hearing of them, by the command line and by the library.
    @Suite("Queries")
    struct QueryTests {
        @Test("find tells what matches, in order, and what is wrong with a predicate")
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
                #expect(wrong.status == 1 && wrong.errors.contains("at character 6"), "\(wrong)")
                let json = try await test.a.ubiquity(["find", "size > 1000", test.a.mount, "--json"]).text()
                let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
                #expect((object?["items"] as? [[String: Any]])?.first?["size"] as? Int == 3893)
            }
        }

        @Test("a program's query is kept to a folder and to items, and its delegate replaces results")
        func library() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                try await test.a.shell("mkdir -p d/e other; echo 1 > d/b; echo 1 > d/e/a; echo 1 > other/c")
                let tool = "UBIQUITY_MOUNT='\(test.a.mount)' \(test.a.binaries)/presenter-tool find"
                let all = try await test.a.shell("\(tool) d").split(separator: "\n")
                #expect(all == ["a", "b", "e"])
                #expect(try await test.a.shell("\(tool) d d/e/a other/c") == "a")
            }
        }

        @Test("a live query hears of what programs and other devices do")
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

        @Test("a live query on sync's state hears when a document is uploaded, and when its bytes are here")
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

        @Test("the monitor tells what comes, moves, changes and goes")
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
