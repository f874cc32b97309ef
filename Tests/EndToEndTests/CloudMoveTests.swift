import Foundation
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Moving a mount to another cloud")
    struct CloudMoveTests {
        private struct Settings: Decodable { let cloud: String }

        /// The address used by the device's next start.
        private func remembered(_ device: TestDevice) throws -> String {
            let data = try Data(contentsOf: URL(filePath: "\(device.state)/settings.json"))
            return try JSONDecoder().decode(Settings.self, from: data).cloud
        }

        private func move(_ device: TestDevice, to cloud: String) async throws -> ProgramOutcome {
            try await device.ubiquity(["cloud", "move", cloud, device.mount])
        }

        @Test("a move to a directory that is killed, with its daemon, continues, and the mount remembers the new cloud")
        func killed() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let a = test.a
                let second = "file://\(test.root)/second"
                try await a.shell(
                    "head -c 40000000 /dev/urandom > big; mkdir d; for i in $(seq 300); do echo $i > d/$i; done")
                try await a.sync()
                let sum = try await a.shell("sha256sum < big")
                let chunks = "\(test.root)/second/containers/CloudDocs/chunks"
                try await a.shell(
                    """
                    setsid \(a.command(["cloud", "move", second, a.mount])) > /dev/null & P=$!
                    until [ -n "$(ls \(chunks) 2> /dev/null)" ]; do :; done
                    kill -9 -- -$P
                    """)
                try await a.kill9()
                try await a.adopt(a.ubiquity(["mount", a.mount, "--state", a.state]))
                #expect(try await a.shell("sha256sum < big") == sum)
                try await a.shell("echo later > later")
                let outcome = try await move(a, to: second)
                // The first run may have been faster than its end.
                if outcome.status != 0 { #expect(outcome.errors.contains("in this cloud already"), "\(outcome)") }
                #expect(try remembered(a) == second)
                try await a.sync()
                try FileManager.default.moveItem(atPath: test.cloud.directory, toPath: "\(test.root)/away")
                try await a.restartRemembered()
                try await a.evict("big")
                #expect(try await a.shell("sha256sum < big; cat later; ls d | wc -l") == sum + "\nlater\n300")
                #expect(try await a.ubiquity(["check", a.mount]).text().contains("0 problems"))
            }
        }

        @Test("devices move to a server one after another; what they edit during the move, and offline, is there")
        func toServer() async throws {
            try await ServerProcess.with { server in
                try await TestDevices.with(devices: ["A", "B"]) { test in
                    let (a, b) = (test.a, test.b)
                    try await test.expectSameEverywhere(
                        "seq 1 3000000 > big; echo one > text; mkdir d; echo two > d/x")
                    let sum = try await a.shell("sha256sum < big")
                    try await a.ubiquity(["login", server.url, "--code", server.code()]).text()
                    try await b.ubiquity(["offline", b.mount]).text()
                    try await b.shell("echo offline > queued")
                    // The writer does not count files created while the mount was away.
                    async let written = a.shell(
                        "n=0; for i in $(seq 100); do echo $i > d/w$i 2> /dev/null && n=$((n + 1)); sleep 0.02; done; echo $n"
                    )
                    let moved = try await move(a, to: server.url).text()
                    #expect(moved.contains("Moved \(a.mount) to \(server.url)"), "\(moved)")
                    #expect(moved.contains("ubiquity cloud move '\(server.url)'"), "\(moved)")
                    let count = try await written
                    try await a.sync()
                    #expect(try await a.shell("ls d/w* | wc -l") == count)
                    #expect(try remembered(a) == server.url)
                    // Both the other device and the new cloud have changes.
                    try await move(b, to: server.url).text()
                    try await b.ubiquity(["online", b.mount]).text()
                    try await b.sync()
                    try await test.expectConverged()
                    #expect(try await a.contents("queued") == "offline")
                    try await b.evict("big")
                    #expect(try await b.shell("sha256sum < big") == sum)
                }
            }
        }

        @Test(
            "a move to the same cloud, into a cloud or the mount, or to a cloud with other contents is refused with 6")
        func refused() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let a = test.a
                try await a.shell("echo one > f")
                try await a.sync()
                let other = "file://\(test.root)/other"
                let options = ["mount", "\(test.root)/N", "--state", "\(test.root)/S", "--cloud", other]
                try await a.ubiquity(options).text()
                try await a.ubiquity(["sync", "--wait", "\(test.root)/N"]).text()
                try await a.runner.run(
                    "bash", ["-c", "echo x > CloudDocs/Documents/x"], in: "\(test.root)/N"
                ).text()
                try await a.ubiquity(["sync", "--wait", "\(test.root)/N"]).text()
                try await a.ubiquity(["unmount", "\(test.root)/N"]).text()
                for (cloud, why) in [
                    (test.cloud.url, "in this cloud already"), ("\(test.cloud.url)/inner", "inside the other"),
                    ("file://\(a.documents)/cloud", "inside the mount"),
                    (other, "entries that the source does not have"),
                    ("/etc", "not a cloud"),
                ] {
                    let outcome = try await move(a, to: cloud)
                    #expect(outcome.status == 6 && outcome.errors.contains(why), "\(outcome)")
                }
                try await a.shell(
                    "exec 3> open; \(a.command(["cloud", "move", "\(test.root)/new", a.mount])) || [ $? = 6 ]")
                #expect(try remembered(a) == test.cloud.url)
                #expect(try await a.contents("f") == "one")
            }
        }

        @Test("a move with a read-only sign-in is refused with 6, also if the server has everything already")
        func readOnly() async throws {
            try await ServerProcess.with { server in
                try await TestDevices.with(devices: ["A"]) { test in
                    let a = test.a
                    try await a.shell("echo one > f")
                    try await a.sync()
                    let code = try server.code(of: "anna", ["--scope", "read"])
                    try await a.ubiquity(["login", server.url, "--code", code]).text()
                    // The account has no cloud yet, and this device can create none.
                    let empty = try await move(a, to: server.url)
                    #expect(empty.status == 4, "\(empty)")
                    try await a.ubiquity(["login", server.url, "--code", server.code()]).text()
                    try await a.ubiquity(["cloud", "copy", test.cloud.url, server.url]).text()
                    let again = try server.code(of: "anna", ["--scope", "read"])
                    try await a.ubiquity(["login", server.url, "--code", again]).text()
                    let full = try await move(a, to: server.url)
                    #expect(full.status == 6 && full.errors.contains("read-only"), "\(full)")
                    #expect(try remembered(a) == test.cloud.url)
                }
            }
        }
    }
}

extension TestDevice {
    /// Mounts again with the remembered cloud.
    fileprivate func restartRemembered() async throws {
        try await stop()
        try await adopt(ubiquity(["mount", mount, "--state", state]))
    }
}
