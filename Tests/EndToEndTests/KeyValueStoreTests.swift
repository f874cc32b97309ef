import TestSupport
import Testing

extension EndToEnd {
    /// Settings as a program sees them through the library.
    @Suite("Key-value stores of programs")
    struct KeyValueStoreTests {
        private let container = "com.example.notes"

        private func set(_ device: TestDevice, _ key: String, _ value: String) async throws {
            let words = ["kv", "set", key, value, "--container", container, "--mount", device.mount]
            try await device.ubiquity(words).text()
        }

        /// Returns the output of a program that starts, reads `lines` and ends.
        private func store(_ device: TestDevice, _ lines: String) async throws -> [String] {
            let program = "UBIQUITY_MOUNT='\(device.mount)' \(device.binaries)/presenter-tool store \(container)"
            // A device's own folder disappears with its daemon.
            return try await device.runner.run("bash", ["-c", "printf '\(lines)' | \(program)"], in: "/").text()
                .split(separator: "\n").map(String.init)
        }

        @Test("keys that were in the cloud before a device first opened a store arrive with reason 1")
        func initialSync() async throws {
            try await TestDevices.withTwo { cloud, a, b in
                try await b.stop()
                try await set(a, "size", "12")
                try await a.sync()
                try cloud.goOffline()
                try await b.start()
                try await b.showing("presenter-tool", "store \(container)", first: "serving") { shown in
                    try shown.type("set theme light")
                    try shown.type("flush")
                    try await shown.says("flushed")
                    try cloud.goOnline()
                    try await shown.says("reason 1: size")
                    try shown.type("get size")
                    try shown.type("get theme")
                    try await shown.says("size = 12")
                    try await shown.says("theme = light")
                }
            }
        }

        @Test("a change of account is reported with reason 3, and the new account's values replace the old ones")
        func otherAccount() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let other = try test.plain("other")
                try await set(test.a, "theme", "dark")
                try await test.a.showing("presenter-tool", "store \(container)", first: "serving") { shown in
                    try shown.type("get theme")
                    try await shown.says("theme = dark")
                    try await test.a.stop()
                    try await test.a.start(["--state", "\(other)/state", "--cloud", "file://\(other)/cloud"])
                    try await shown.says("reason 3: theme")
                    try shown.type("get theme")
                    try await shown.says("theme = nothing")
                }
            }
        }

        @Test("a program is notified of keys that changed while it was closed, and of no others")
        func changedWhileClosed() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                try await set(test.a, "theme", "dark")
                try await set(test.a, "size", "12")
                #expect(try await store(test.a, "get theme\\nflush\\n").contains("theme = dark"))
                try await set(test.a, "theme", "light")
                try await test.a.showing("presenter-tool", "store \(container)", first: "serving") { shown in
                    try shown.type("get theme")
                    try await shown.says("theme = light")
                    try await shown.says("reason 0: theme")
                }
            }
        }

        @Test("a program reads its settings while no daemon runs, and what it writes then is kept")
        func withoutDaemon() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                try await set(test.a, "theme", "dark")
                #expect(try await store(test.a, "get theme\\nset font Mono\\nflush\\n").contains("theme = dark"))
                try await test.a.kill9()
                let said = try await store(test.a, "get theme\\nget font\\nset size 12\\nflush\\n")
                #expect(said == ["serving", "theme = dark", "font = Mono", "flushed"])
                try await test.a.restart()
                #expect(try await store(test.a, "get size\\nget theme\\n") == ["serving", "size = 12", "theme = dark"])
            }
        }

        @Test("of settings that exceed the store's limit, those that fit are kept and the others are reported")
        func quota() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                try await test.a.showing("presenter-tool", "store \(container)", first: "serving") { shown in
                    try shown.type("set theme dark")
                    try shown.type("fill k 3 400000")
                    try shown.type("flush")
                    try await shown.says("reason 2: k2")
                    try shown.type("count")
                    try await shown.says("3 keys")
                    try shown.type("get theme")
                    try await shown.says("theme = dark")
                }
            }
        }
    }
}
