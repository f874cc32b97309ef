import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Queries, key-value stores, the monitor, and moves in and out, by the command line.
    @Suite("Services")
    struct ServicesTests {
        /// A command that goes on, with what it has printed so far.
        private struct Lasting: Sendable {
            let output: String

            var lines: [String] {
                let text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
                return text.split(separator: "\n").map(String.init)
            }

            func prints(_ what: String, _ condition: @Sendable (String) -> Bool) async throws {
                try await eventually("it prints \(what)") {
                    lines.contains(where: condition)
                } describe: {
                    "\(lines)"
                }
            }
        }

        /// Runs a command that goes on while `body` runs, then ends it by a signal.
        private func lasting(
            _ device: TestDevice, _ arguments: String, _ body: (Lasting) async throws -> Void
        ) async throws {
            let name = "\(device.state)/lasting-\(UUID().uuidString)"
            let script =
                "'\(device.binaries)/ubiquity' \(arguments) > '\(name)' & p=$!; while ! [ -e '\(name).end' ]; do sleep 0.05; done; "
                + "kill $p || exit 9; wait $p || true"
            async let program = device.tryShell(script)
            let command = Lasting(output: name)
            var failure: (any Error)?
            do { try await body(command) } catch { failure = error }
            _ = FileManager.default.createFile(atPath: "\(name).end", contents: nil)
            #expect(try await program.status == 0, "it had ended before it was told to")
            if let failure { throw failure }
        }

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
                try await lasting(b, "find \"name LIKE '*.txt'\" '\(b.mount)' --live") { query in
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
                try await lasting(
                    b, "find \"status == 'current' AND isUploaded == TRUE AND name == 'f'\" '\(b.mount)' --live"
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

        @Test(
            "a key written on one device is read on the other, who hears of it; the last write counts, also one made offline"
        )
        func keyValues() async throws {
            try await TestDevices.withTwo { cloud, a, b in
                func set(_ device: TestDevice, _ key: String, _ value: String) async throws {
                    try await device.ubiquity(["kv", "set", key, value, "--mount", device.mount]).text()
                }
                func get(_ device: TestDevice, _ key: String) async throws -> String? {
                    let outcome = try await device.ubiquity(["kv", "get", key, "--mount", device.mount])
                    return outcome.status == 0 ? try outcome.text() : nil
                }
                try await lasting(b, "kv watch --mount '\(b.mount)'") { watch in
                    try await set(a, "theme", "dark")
                    #expect(try await get(a, "theme") == "dark")
                    try await eventually("B has it") { try await get(b, "theme") == "dark" }
                    try await watch.prints("the change") {
                        $0 == #"{"reason":"serverChange","values":{"theme":"dark"}}"#
                    }
                }
                try cloud.goOffline()
                try await set(a, "theme", "offline, earlier")
                try await set(b, "theme", "offline, later")
                try await a.kill9()
                try cloud.goOnline()
                try await a.restart()
                for device in [a, b] {
                    try await eventually("\(device.name) has the later one") {
                        try await get(device, "theme") == "offline, later"
                    }
                }
                try await b.ubiquity(["kv", "remove", "theme", "--mount", b.mount]).text()
                try await eventually("it is removed on A") { try await get(a, "theme") == nil }
                try await a.ubiquity([
                    "kv", "set", "all", #"{"a":[1,2.5,true],"d":{"$data":"AAE="}}"#, "--json", "--mount", a.mount,
                ])
                .text()
                try await eventually("B has all kinds of values") {
                    try await get(b, "all") == #"{"a":[1,2.5,true],"d":{"$data":"AAE="}}"#
                }
                let long = String(repeating: "k", count: 65)
                #expect(try await a.ubiquity(["kv", "set", long, "x", "--mount", a.mount]).status == 1)
            }
        }

        @Test("a key that was written and not told survives a reset")
        func resetKeepsKeys() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                try await test.a.sync()
                try test.cloud.goOffline()
                try await test.a.ubiquity(["kv", "set", "k", "kept", "--mount", test.a.mount]).text()
                try await test.a.stop()
                try test.cloud.goOnline()
                // Without a daemon there is nobody who could tell the log before the state is made anew. It starts one.
                try await test.a.ubiquity(["reset", test.a.mount, "--state", test.a.state, "--yes"]).text()
                #expect(try await test.a.ubiquity(["kv", "get", "k", "--mount", test.a.mount]).text() == "kept")
            }
        }

        @Test("the monitor tells what comes, moves, changes and goes")
        func monitor() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await lasting(b, "monitor '\(b.mount)'") { monitor in
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

        @Test(
            "what moves in is a document on all devices, what moves out is on this machine alone; nothing is replaced")
        func moves() async throws {
            try await TestDevices.withTwo { _, a, b in
                let outside = "\(a.state)/outside"
                try await a.shell(
                    "mkdir '\(outside)' '\(outside)/d'; echo 1 > '\(outside)/d/f'; ln -s f '\(outside)/d/link'")
                try await a.ubiquity(["move-in", "\(outside)/d", a.documents]).text()
                #expect(!FileManager.default.fileExists(atPath: "\(outside)/d"))
                try await eventually("B has it") { try await b.shell("cat d/link 2>/dev/null || true") == "1" }
                try await b.ubiquity(["evict", b.path("d/f")]).text()
                let target = "\(b.state)/out"
                try await b.ubiquity(["move-out", b.path("d"), target]).text()
                #expect(try String(contentsOfFile: "\(target)/f", encoding: .utf8) == "1\n")
                try await eventually("it left A too") { try await a.list() == [] }
                try await a.shell("echo mine > f; echo other > '\(outside)/f'")
                let refused = try await a.ubiquity(["move-in", "\(outside)/f", a.path("f")])
                #expect(refused.status == 6)
                #expect(try await a.contents("f") == "mine")
                #expect(try String(contentsOfFile: "\(outside)/f", encoding: .utf8) == "other\n")
            }
        }
    }
}
