import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite("A server that is moved")
    struct ServerMigrationTests {
        @Test("devices continue at the new place without signing in, however often the migration was killed")
        func killed() async throws {
            try await ServerProcess.with { server in
                try await TestDevices.with(devices: ["A", "B"], cloud: server.url) { test in
                    try await test.a.ubiquity(["login", server.url, "--code", server.code()]).text()
                } _: { test in
                    try await test.a.shell("for i in $(seq 200); do head -c 9000 /dev/urandom > file-$i; done; sync .")
                    try await test.a.sync()
                    let sum = try await test.a.shell("cat file-* | sha256sum")
                    server.crash()
                    let (old, new) = ("\(server.data)-old", "\(server.data)-new")
                    defer { for path in [old, new] { try? FileManager.default.removeItem(atPath: path) } }
                    try FileManager.default.moveItem(atPath: server.data, toPath: old)
                    try migrate(from: old, to: new)
                    try FileManager.default.moveItem(atPath: new, toPath: server.data)
                    try await test.a.shell("echo later > later")
                    try server.start()
                    try await eventually("B has what was written meanwhile") {
                        try await test.b.contents("later") == "later"
                    }
                    #expect(try await test.b.shell("cat file-* | sha256sum") == sum)
                    let report = try server.command(["check", "--read"])
                    #expect(report.contains("Nothing is damaged."))
                }
            }
        }

        /// Runs the command repeatedly, killed at first immediately, then ever later, until it ends unkilled.
        private func migrate(from old: String, to new: String) throws {
            var kills = 0
            for delay in sequence(first: 0.01, next: { $0 * 1.3 }) {
                let process = Process()
                process.executableURL = URL(filePath: "\(try TestDevices.binaries())/ubiquity-server")
                process.arguments = ["migrate", "--from", old, "--to", new, "--json"]
                process.standardOutput = FileHandle.nullDevice
                try process.run()
                let (number, timer) = (process.processIdentifier, DispatchSource.makeTimerSource())
                timer.schedule(deadline: .now() + delay)
                timer.setEventHandler { kill(number, SIGKILL) }
                timer.resume()
                process.waitUntilExit()
                timer.cancel()
                if process.terminationReason == .exit {
                    #expect(process.terminationStatus == 0 && kills > 0)
                    return
                }
                kills += 1
            }
        }
    }
}
