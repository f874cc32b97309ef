import TestSupport
import Testing

extension EndToEnd {
    /// `ubiquity pin`: documents downloaded without individual requests.
    @Suite("Pins")
    struct PinTests {
        private func isHere(_ device: TestDevice, _ name: String) async throws -> Bool {
            try await device.attribute("status", of: name) == "current"
        }

        @Test(
            "with --when-space a mount downloads everything, also later containers; an item evicted by hand stays evicted"
        )
        func whenSpace() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell("echo one > f")
                try await a.sync()
                let pinned = try await b.ubiquity(["pin", "--when-space", b.mount]).text()
                #expect(pinned.hasPrefix("Pinned \(b.mount)"), "\(pinned)")
                try await eventually("it comes by itself") { try await isHere(b, "f") }
                try await a.shell("mkdir ../../Work d; echo x > ../../Work/Documents/x; echo two > d/g")
                for name in ["../../Work/Documents/x", "d/g"] {
                    try await eventually("\(name) comes too") {
                        try await b.tryShell("test $(getfattr --only-values -n user.ubiquity.status \(name)) = current")
                            .succeeded
                    }
                }
                #expect(try await b.ubiquity(["status", b.path("d/g")]).text().contains("(whenSpace)"))
                try await b.evict("f")
                #expect(try await b.attribute("downloadRequested", of: "f") == "0")
                try await b.restart()
                try await a.shell("echo three > h")
                try await eventually("what is new comes, after a restart too") { try await isHere(b, "h") }
                #expect(try await b.attribute("status", of: "f") == "notDownloaded")
                _ = try await b.ubiquity(["unpin", b.mount]).text()
                try await a.shell("echo four > i")
                try await eventually("it is listed") { try await b.list().contains("i") }
                #expect(try await b.attribute("status", of: "i") == "notDownloaded")
            }
        }

        @Test("with --when-space nothing is downloaded beyond the limit, and items in use evict unused ones")
        func limited() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell("for f in f g; do head -c 600000 /dev/urandom > $f; done")
                try await a.sync()
                try await b.restart(["--cache-limit", "1M"])
                _ = try await b.ubiquity(["pin", "--when-space", b.documents]).text()
                try await eventually("one of them comes") {
                    let states = [try await isHere(b, "f"), try await isHere(b, "g")]
                    return states.contains(true)
                }
                let missing = try await isHere(b, "f") ? "g" : "f"
                #expect(try await !isHere(b, missing))
                #expect(try await b.attribute("downloadRequested", of: missing) == "0")
                #expect(try await b.shell("cat \(missing) | wc -c") == "600000")
                try await eventually("the other one makes room") {
                    let states = [try await isHere(b, "f"), try await isHere(b, "g")]
                    return states == [missing == "f", missing == "g"]
                }
            }
        }
    }
}
