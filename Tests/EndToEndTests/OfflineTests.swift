import TestSupport
import Testing

extension EndToEnd {
    /// The cloud's directory is renamed, as if its disk had been removed.
    @Suite("Offline")
    struct OfflineTests {
        @Test(
            "without its cloud the mount lists, reads local bytes, writes and queues, and syncs when the cloud is back")
        func worksOffline() async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                try await test.a.shell("mkdir d; echo local > d/f; seq 1 1000 > distant")
                try await test.a.sync()
                try await eventually("B lists all") { try await test.b.list() == ["d", "distant"] }
                #expect(try await test.b.contents("d/f") == "local")
                try test.cloud.goOffline()
                try await test.b.restart()
                #expect(try await test.b.list() == ["d", "distant"])
                #expect(try await test.b.shell("stat -c %s distant; cat d/f") == "3893\nlocal")
                try await test.b.shell("echo edited > d/f; mkdir e; mv d/f e/g; echo new > n; rm -r d")
                try await test.a.shell("echo by a > x")
                try await eventually("the status says so") {
                    let status = try await test.b.mountStatus()
                    return status.cloud.state == "offline" && status.queue.pendingItems > 0
                }
                try test.cloud.goOnline()
                try await ConflictTests.expect(
                    [test.a, test.b],
                    hold: [
                        "e/g": "edited", "n": "new", "x": "by a",
                        "distant": (1...1000).map(String.init).joined(separator: "\n"),
                    ])
            }
        }

        @Test("a device that is taken offline keeps its edits, reads what is here, and syncs after online")
        func byChoice() async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                let (a, b) = (test.a, test.b)
                try await a.shell("echo local > f; seq 1 1000 > distant")
                try await a.sync()
                try await eventually("B lists all") { try await b.list() == ["distant", "f"] }
                #expect(try await b.contents("f") == "local")
                let outcome = try await b.ubiquity(["offline", b.mount]).text()
                #expect(outcome == "\(b.mount): offline. Edits wait for `ubiquity online`.")
                try await eventually("the status says so") {
                    try await b.mountStatus().cloud.message?.contains("taken offline") ?? false
                }

                try await b.restart()
                try await b.shell("echo edited > f")
                try await a.shell("echo by a > x")
                try await a.sync()
                let read = try await b.run("cat", b.path("distant"), limit: .seconds(30))
                #expect(read.errors.contains("Network is unreachable"), "\(read)")
                #expect(try await b.contents("f") == "edited")
                #expect(try await b.list() == ["distant", "f"], "nothing of A has arrived")

                #expect(try await b.ubiquity(["online", b.mount]).text() == "\(b.mount): online; it syncs again.")
                try await ConflictTests.expect(
                    [a, b],
                    hold: [
                        "f": "edited", "x": "by a", "distant": (1...1000).map(String.init).joined(separator: "\n"),
                    ])
            }
        }

        @Test("a command that waits for an unreachable cloud says why")
        func waiting() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                try test.cloud.goOffline()
                try await test.a.shell("echo one > f")
                let outcome = try await test.a.ubiquity(["sync", "--wait", "--timeout", "4", test.a.mount])
                #expect(!outcome.succeeded)
                #expect(outcome.errors.contains("ubiquity: waiting for the cloud: There is no cloud at"), "\(outcome)")
                try test.cloud.goOnline()
                try await test.a.sync()
            }
        }

        @Test(
            "reading a placeholder without its cloud fails with ENETUNREACH in bounded time, and works when the cloud is back"
        )
        func placeholder() async throws {
            try await TestDevices.withTwo { cloud, a, b in
                try await a.shell("seq 1 1000 > f")
                try await a.sync()
                try await eventually("B lists it") { try await b.list() == ["f"] }
                try cloud.goOffline()
                let read = try await b.run("cat", b.path("f"), limit: .seconds(30))
                #expect(read.errors.contains("Network is unreachable"), "\(read)")
                #expect(read.output.isEmpty)
                #expect(try await b.shell("stat -c %s f") == "3893", "it is still there, with its size")
                try cloud.goOnline()
                try await eventually("it can be read") { try await b.tryShell("seq 1 1000 | cmp - f").succeeded }
            }
        }

        @Test("after a restart without the cloud the mount works, and never creates a cloud of its own")
        func restart() async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                try await test.a.shell("echo x > f")
                try await test.a.sync()
                try await test.a.stop()
                try test.cloud.goOffline()
                try await test.a.start()
                try await test.a.shell("echo y > g; cat f")
                try test.cloud.goOnline()
                try await test.expectConverged()
                #expect(try await test.b.list() == ["f", "g"])
            }
        }
    }
}
