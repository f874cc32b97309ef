import FoundationEssentials
import TestSupport
import Testing

extension EndToEnd {
    /// The extensions of file managers, written in Python. `make desktop` loads them into real file managers.
    @Suite("Desktop")
    struct DesktopTests {
        private static let folder: String = {
            var file = URL(filePath: #filePath)
            for _ in 0..<3 { file.deleteLastPathComponent() }
            return file.appending(path: "packaging/desktop").path
        }()
        private static let ask = "\(folder)/tests/ask.py"

        @Test("the tests of the extensions pass, which are written in Python")
        func extensions() async throws {
            let runner = ProgramRunner(environment: ["PYTHONDONTWRITEBYTECODE": "1"]) {}
            let outcome = try await runner.run(
                "python3", ["-m", "unittest", "discover", "-s", "\(Self.folder)/tests"], in: "/")
            let lines = outcome.errors.split(separator: "\n")
            #expect(outcome.succeeded && lines.last == "OK", "\(outcome)")
            let count = lines.compactMap { $0.firstMatch(of: /^Ran (\d+) tests/).flatMap { Int($0.1) } }.first
            #expect(try #require(count) >= 100)
        }

        @Test("the tests of the programs of the desktop pass, on a bus and a display of their own")
        func programs() async throws {
            let outcome = try await Self.inSession(
                ProgramRunner(environment: ["PYTHONDONTWRITEBYTECODE": "1"]) {},
                ["-m", "unittest", "discover", "-s", "\(Self.folder)/tests/system"])
            let lines = outcome.errors.split(separator: "\n")
            #expect(outcome.succeeded && lines.contains("OK"), "\(outcome)")
            let count = lines.compactMap { $0.firstMatch(of: /^Ran (\d+) tests/).flatMap { Int($0.1) } }.first
            #expect(try #require(count) >= 30)
        }

        /// Runs Debian's Python, with the desktop's modules, in a session with a separate bus.
        private static func inSession(
            _ runner: ProgramRunner, _ arguments: [String]
        ) async throws -> ProgramOutcome {
            try await runner.run(
                "dbus-run-session", ["--", "/usr/bin/python3", "-B"] + arguments, in: "/", limit: .seconds(400))
        }

        private func states(_ device: TestDevice, _ paths: [String]) async throws -> [String] {
            let output = try await device.runner.run("python3", ["-B", Self.ask, "once"] + paths, in: "/").text()
            return output.split(separator: "\n").map(String.init)
        }

        @Test("a file manager learns the states of documents on the device that made them and on another")
        func states() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell("mkdir d; for f in f g 'd/ü 1'; do seq 1 1000 > \"$f\"; done; touch x~")
                try await a.shell("printf x > $'caf\\xe9'")
                try await a.sync()
                try await eventually("B lists them") { try await b.list().count == 4 }
                try await b.shell("cat g > /dev/null")
                try await b.ubiquity(["pin", b.path("f")]).text()
                try await eventually("f is here") { try await b.attribute("status", of: "f") == "current" }
                try await eventually("g is here") { try await b.attribute("status", of: "g") == "current" }
                let names = ["f", "g", "d/ü 1", "d", "gone", "x~"]
                #expect(
                    try await states(a, names.map { a.path($0) } + [a.mount, "/etc/hosts"])
                        == ["here", "here", "here", "folder", "unknown", "excluded", "folder", "outside"])
                #expect(
                    try await states(b, names.map { b.path($0) })
                        == ["pinned", "here", "cloud", "folder", "unknown", "unknown"])
                // A name with invalid UTF-8.
                let odd = try await a.shell("python3 -B \(Self.ask) once \(a.documents)/$'caf\\xe9'")
                #expect(odd == "here")
            }
        }

        @Test("the program of the desktop follows a daemon, switches it off and on, and keeps pictures of documents")
        func statusArea() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let a = test.a
                try await a.shell("seq 1 1000 > photo.jpg")
                try await a.sync()
                let (photo, moved) = (a.path("photo.jpg"), a.path("ü.jpg"))
                let mount = ["mount", a.mount, "--state", a.state, "--device", a.name, "--cloud", test.cloud.url]
                let idle = "shows Everything is in the cloud"
                let outcome = try await Self.inSession(
                    a.runner,
                    [
                        "\(Self.folder)/tests/system/follow.py", idle,
                        // An evicted document keeps its picture.
                        "thumbnail normal \(photo)", "run \(a.command(["evict", photo]))", "pictured \(photo)",
                        // A thumbnailer may retry a cloud file that it could not read.
                        "thumbnail fail/thumbnailer \(photo)", "failed \(photo)", "run cat \(photo) > /dev/null",
                        "forgotten \(photo)", "run \(a.command(["evict", photo]))", "run mv \(photo) \(moved)",
                        "pictured \(moved)", "run \(a.command(["sync", "--wait", a.mount]))", idle,
                        "choose Go Offline", "shows Offline: you have paused it", "choose Go Online", idle,
                        "run \(a.command(["unmount", a.mount]))", "shows No documents are mounted",
                        "run \(a.command(mount))", idle,
                    ])
                try a.adopt(outcome)
                #expect(outcome.succeeded, "\(outcome)")
            }
        }

        @Test("a file manager follows a document that comes and goes, and a daemon that is started again")
        func following() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let a = test.a
                try await a.shell("seq 1 1000 > f")
                try await a.sync()
                let mount = ["mount", a.mount, "--state", a.state, "--device", a.name, "--cloud", test.cloud.url]
                let steps = [
                    "here", a.command(["evict", a.path("f")]), "cloud", "cat \(a.path("f")) > /dev/null",
                    "here", a.command(["pause", a.path("f")]), "paused", a.command(["resume", a.path("f")]),
                    "here", a.command(["unmount", a.mount]), "-", a.command(mount), "here",
                ]
                let outcome = try await a.runner.run(
                    "python3", ["-B", Self.ask, "follow", a.path("f")] + steps, in: "/")
                try a.adopt(outcome)
            }
        }
    }
}
