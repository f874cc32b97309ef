import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite("A restored server")
    struct RestoreTests {
        @Test(
            "a device that saw no later state continues by itself; one that did stops and says so, and a reset loses none of its edits"
        )
        func restore() async throws {
            try await ServerProcess.with { server in
                try await TestDevices.with(devices: ["A", "B"], cloud: server.url) { test in
                    try await test.a.ubiquity(["login", server.url, "--code", server.code()]).text()
                } _: { test in
                    let backup = "\(server.data)-backup"
                    defer { try? FileManager.default.removeItem(atPath: backup) }
                    try await test.a.shell("echo one > before")
                    try await eventually("B has it") { try await test.b.contents("before") == "one" }
                    try await test.b.stop()
                    _ = try server.command(["backup", "--to", backup])
                    try await test.a.shell("echo two > after")
                    try await test.a.sync()
                    server.crash()
                    try FileManager.default.removeItem(atPath: server.data)
                    _ = try server.command(["restore", "--from", backup])
                    try server.start()
                    try await eventually("A says that it waits to be confirmed") {
                        try await test.a.ubiquity(["status"]).text().contains("ubiquity-server device confirm")
                    }
                    _ = try server.command(["device", "confirm", "--all"])
                    try await eventually("A says what to do") {
                        try await test.a.ubiquity(["status"]).text().contains("ubiquity reset")
                    }
                    try await test.b.start()
                    try await test.b.shell("for i in $(seq 5); do echo $i > new-$i; done")
                    try await test.b.sync()
                    #expect(try await test.a.shell("cat after") == "two")
                    try await test.a.ubiquity(["reset", test.a.mount, "--yes"]).text()
                    try await eventually("A has B's changes") { try await test.a.contents("new-5") == "5" }
                    try await eventually("what only A had is in the cloud again") {
                        try await test.b.shell("grep -rl two . || true").contains("after")
                    }
                }
            }
        }
    }
}
