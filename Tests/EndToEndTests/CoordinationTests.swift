import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    /// Programs that coordinate, each in a separate process.
    @Suite("Coordination")
    struct CoordinationTests {
        /// Returns a shell script that holds a file while it waits for the file `go` outside the mount.
        private func hold(_ device: TestDevice, _ mode: String, file: String = "f", until go: String) -> String {
            "\(device.command(["coordinate", mode, file])) -- sh -c 'touch \(go).held; while ! [ -e \(go) ]; do sleep 0.02; done'"
        }

        private func isHeld(_ go: String) async throws {
            try await eventually("the claim is held") { FileManager.default.fileExists(atPath: "\(go).held") }
        }

        private func signal(_ device: TestDevice, _ number: Int32, _ mode: String) async throws {
            let items = try await claims(device)
            let holder = try #require(items.flatMap(\.claims).first { $0.stage == "granted" && $0.mode == mode })
            kill(holder.pid, number)
        }

        /// Returns a script that holds its own document and requests the second as well, once it is held too.
        private func pair(_ device: TestDevice, _ mine: String, then other: String) -> String {
            let meet = "touch \(device.state)/\(mine); while ! [ -e \(device.state)/\(other) ]; do sleep 0.02; done"
            return "\(device.command(["coordinate", "write", mine])) -- sh -c '\(meet); "
                + "\(device.command(["coordinate", "write", other])) -- echo both'"
        }

        private struct Claims: Decodable {
            struct Mount: Decodable { let items: [Item] }
            struct Item: Decodable {
                let path: String
                let claims: [Claim]
            }
            struct Claim: Decodable {
                let claim: UInt64
                let pid: Int32
                let mode: String
                let stage: String
                let waitsFor: [UInt64]
                let isStopped: Bool
            }
            let mounts: [Mount]
        }

        /// Returns the programs' claims, without those of the daemon, which takes a turn too when it uploads.
        private func claims(_ device: TestDevice) async throws -> [Claims.Item] {
            let text = try await device.ubiquity(["diagnose", "--claims", "--json", device.mount]).text()
            let items = try JSONDecoder().decode(Claims.self, from: Data(text.utf8)).mounts.flatMap(\.items)
            return items.map { item in
                Claims.Item(path: item.path, claims: item.claims.filter { $0.pid != device.daemon.pid })
            }.filter { !$0.claims.isEmpty }
        }

        private func waiting(_ device: TestDevice, _ count: Int) async throws {
            try await eventually("\(count) wait") {
                try await claims(device).flatMap(\.claims).count { $0.stage == "waiting" } == count
            } describe: {
                try await "\(claims(device))"
            }
        }

        @Test("writers in separate processes take turns: no update is lost")
        func writersTakeTurns() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let write = test.a.command(["coordinate", "write", "n"])
                let add = "\(write) -- sh -c 'echo $(($(cat n) + 1)) > n.new; mv n.new n'"
                try await test.a.shell(
                    "echo 0 > n; for i in 1 2 3 4 5; do (for j in 1 2 3 4; do \(add); done) & done; wait")
                #expect(try await test.a.contents("n") == "20")
                #expect(try await claims(test.a).isEmpty)
            }
        }

        @Test("readers run together; a writer waits for them and shows which programs it waits for")
        func readersShare() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let go = "\(test.a.state)/go"
                try await test.a.shell("echo x > f")
                async let first = test.a.tryShell(hold(test.a, "read", until: go))
                try await isHeld(go)
                #expect(try await test.a.shell("\(test.a.command(["coordinate", "read", "f"])) -- cat f") == "x")
                async let writer = test.a.tryShell(
                    "\(test.a.command(["coordinate", "write", "f"])) -- sh -c 'echo y > f'")
                try await waiting(test.a, 1)
                let item = try #require(try await claims(test.a).first)
                #expect(item.path == "CloudDocs/Documents/f")
                let holder = try #require(item.claims.first { $0.stage == "granted" })
                #expect(item.claims.first { $0.stage == "waiting" }?.waitsFor == [holder.claim])
                let text = try await test.a.ubiquity(["diagnose", "--claims", test.a.mount]).text()
                #expect(text.contains("to write, behind claim \(holder.claim)"), "\(text)")
                #expect(try await test.a.contents("f") == "x")
                try await test.a.shell("touch \(go)")
                #expect(try await first.succeeded)
                #expect(try await writer.succeeded)
                #expect(try await test.a.contents("f") == "y")
            }
        }

        @Test("kill -9 of a holder releases its claim at once")
        func killedHolder() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let go = "\(test.a.state)/go"
                try await test.a.shell("echo x > f")
                async let holder = test.a.tryShell(hold(test.a, "write", until: go))
                try await isHeld(go)
                async let next = test.a.tryShell("\(test.a.command(["coordinate", "write", "f"])) -- echo turn")
                try await waiting(test.a, 1)
                try await signal(test.a, SIGKILL, "write")
                #expect(try await next.text() == "turn")
                try await test.a.shell("touch \(go)")
                #expect(try await !holder.succeeded)
            }
        }

        @Test("a stopped holder keeps its claim for half a minute, then others continue and it is notified")
        func stoppedHolder() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let go = "\(test.a.state)/go"
                try await test.a.shell("echo x > f")
                async let holder = test.a.tryShell(hold(test.a, "write", until: go))
                try await isHeld(go)
                let pid = try #require(try await claims(test.a).first?.claims.first?.pid)
                kill(pid, SIGSTOP)
                try await eventually("it shows as stopped") {
                    try await claims(test.a).first?.claims.first?.isStopped == true
                }
                let write = test.a.command(["coordinate", "write", "f", "--timeout", "1"])
                #expect(try await test.a.tryShell("\(write) -- true").status == 5)
                let patient = test.a.command(["coordinate", "write", "f", "--timeout", "90"])
                #expect(try await test.a.shell("\(patient) -- echo turn") == "turn")
                kill(pid, SIGCONT)
                try await test.a.shell("touch \(go)")
                let end = try await holder
                #expect(end.status == 1)
                #expect(end.errors.contains("the claim was revoked"), "\(end.errors)")
            }
        }

        @Test(
            "a program started inside an accessor does not wait for it, and of two that would deadlock one is refused"
        )
        func nesting() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let write = test.a.command(["coordinate", "write", "a"])
                #expect(try await test.a.shell("\(write) -- \(write) -- echo inside") == "inside")
                async let first = test.a.tryShell(pair(test.a, "a", then: "b"))
                async let second = test.a.tryShell(pair(test.a, "b", then: "a"))
                let ends = try await [first, second].sorted { $0.status < $1.status }
                #expect(ends.map(\.status) == [0, 6], "\(ends)")
                #expect(ends[0].output == "both\n")
                #expect(ends[1].errors.contains("would wait for itself"), "\(ends[1].errors)")
            }
        }

        @Test("if a claim is not granted in time, the error says so and the program does not run")
        func timeout() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let go = "\(test.a.state)/go"
                async let holder = test.a.tryShell(hold(test.a, "write", file: "new", until: go))
                try await isHeld(go)
                let read = test.a.command(["coordinate", "read", "new", "--timeout", "0.2"])
                let late = try await test.a.tryShell("\(read) -- touch ran")
                #expect(late.status == 5)
                #expect(late.errors.contains("the access did not begin in time"), "\(late.errors)")
                #expect(try await test.a.list() == [])
                try await test.a.shell("touch \(go)")
                #expect(try await holder.succeeded)
            }
        }

        @Test("the program's exit status and signals are passed on, and a command that cannot be run is reported")
        func exitStatus() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let write = test.a.command(["coordinate", "write", "f"])
                #expect(try await test.a.tryShell("\(write) -- sh -c 'exit 42'").status == 42)
                #expect(try await test.a.tryShell("\(write) -- sh -c 'kill -9 $$'").status == 128 + 9)
                #expect(try await test.a.tryShell("\(write) -- no-such-program").status == 127)
                #expect(try await test.a.tryShell("\(write) -- /").status == 126)
                #expect(try await test.a.tryShell("\(write)").status == 64)
                let go = "\(test.a.state)/go"
                let script = "trap \"exit 7\" TERM; touch \(go).held; while :; do sleep 0.02; done"
                async let ended = test.a.tryShell("\(write) -- sh -c '\(script)'")
                try await isHeld(go)
                try await signal(test.a, SIGTERM, "write")
                #expect(try await ended.status == 7)
                let nowhere = test.a.command(["coordinate", "write", "no/such"])
                #expect(try await test.a.tryShell("\(nowhere) -- true").status == 1)
            }
        }
    }
}
