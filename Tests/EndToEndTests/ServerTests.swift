import Foundation
import Glibc
import HTTPTransport
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Server")
    struct ServerTests {
        /// Runs `body` with two devices signed in at a server.
        private func withTwo(_ body: (ServerProcess, TestDevices) async throws -> Void) async throws {
            try await ServerProcess.with { server in
                try await TestDevices.with(devices: ["A", "B"], cloud: server.url) { test in
                    try await test.a.ubiquity(["login", server.url, "--code", server.code()]).text()
                } _: {
                    try await body(server, $0)
                }
            }
        }

        @Test("two devices sync through a server, in both directions")
        func sync() async throws {
            try await withTwo { _, test in
                try await test.expectSameEverywhere(
                    "mkdir -p a/b; seq 1 200000 > a/numbers; ln -s numbers a/link; for i in $(seq 50); do echo $i > a/b/$i; done"
                )
                try await test.b.shell("echo fromB > b; mv a/b a/c")
                try await eventually("A shows B's changes") {
                    try await test.a.shell("cat b; ls a/c | wc -l") == "fromB\n50"
                }
            }
        }

        @Test(
            "a device that may only read shows and reads everything, and names the edits that it keeps until they are dropped"
        )
        func keepsEdits() async throws {
            try await ServerProcess.with { server in
                try await TestDevices.with(devices: ["A", "B"], cloud: server.url) { test in
                    try await test.a.ubiquity(["login", server.url, "--code", server.code()]).text()
                } _: { test in
                    let (a, b) = (test.a, test.b)
                    // The edit of a large document is announced to other devices: that is refused as well.
                    try await a.shell("echo one > f; echo two > g; head -c 5000000 /dev/zero > large")
                    try await a.sync()
                    try await eventually("B lists them") { try await b.list().count == 3 }
                    try await b.ubiquity(["logout", server.url, "--only-here", "--keep-files"]).text()
                    let code = try server.code(of: "anna", ["--scope", "read"])
                    try await b.ubiquity(["login", server.url, "--code", code]).text()
                    try await b.shell("echo mine > new; echo mine >> f; echo mine >> large")
                    try await eventually("B says so") {
                        try await b.ubiquity(["status", b.mount]).text().contains(
                            "online, read-only; 3 edits are kept on this device only")
                    }
                    #expect(try await b.shell("cat g") == "two", "reading does not depend on writing")
                    let waited = try await b.ubiquity(["sync", b.mount, "--wait"])
                    #expect(waited.status == 6 && waited.errors.contains("kept on this device only"), "\(waited)")
                    let refused = try await b.ubiquity(["resume", "--drop-edits", b.path("new")])
                    #expect(refused.status == 6 && refused.errors.contains("Delete it"), "\(refused)")
                    try await b.ubiquity(["resume", "--drop-edits", b.path("f"), b.path("large")]).text()
                    #expect(try await b.shell("rm new; cat f; wc -c < large") == "one\n5000000")
                    try await eventually("nothing is left") {
                        try await b.ubiquity(["status", b.mount]).text().contains("everything is in the cloud")
                    }
                }
            }
        }

        @Test(
            "a code of another account is refused and stays valid; a mount has the sign-in's name; login says how to mount"
        )
        func otherAccount() async throws {
            try await ServerProcess.with { server in
                _ = try server.command(["account", "add", "ben"])
                try await TestDevices.with(devices: ["A"]) { test in
                    let a = test.a
                    try await a.ubiquity(["login", server.url, "--code", server.code(), "--device", "Annas Notebook"])
                        .text()
                    let code = try server.code(of: "ben")
                    let refused = try await a.ubiquity(["login", server.url, "--code", code])
                    #expect(refused.status == 6 && refused.errors.contains("signed in as anna"), "\(refused)")
                    let folder = "\(test.root)/family"
                    let options = ["mount", folder, "--state", "\(test.root)/S", "--cloud", server.url]
                    try await a.ubiquity(options).text()
                    let status = try await a.ubiquity(["status", folder]).text()
                    #expect(status.contains("Annas Notebook ("), "\(status)")
                    try await a.ubiquity(["unmount", folder]).text()
                    let forced = try await a.ubiquity(["login", server.url, "--code", code, "--force"]).text()
                    #expect(forced.contains("as ben"), "the code is still valid: \(forced)")
                    #expect(forced.contains("ubiquity mount --cloud \(server.url)"), "\(forced)")
                }
            }
        }

        @Test(
            "a server that is killed while devices write loses no acknowledged change, and the rest is sent after its restart"
        )
        func crash() async throws {
            try await withTwo { server, test in
                try await test.a.shell("for i in $(seq 100); do echo first $i > first-$i; done")
                try await test.a.sync()
                for round in 1...3 {
                    async let writing = test.a.shell(
                        "for i in $(seq 100); do echo r\(round) $i > r\(round)-$i; done; head -c 3000000 /dev/urandom > big\(round)"
                    )
                    _ = try await test.b.shell("for i in $(seq 20); do echo b\(round) $i > b\(round)-$i; done")
                    server.crash()
                    _ = try await writing
                    try server.start()
                }
                try await test.b.sync()
                try await test.expectConverged()
                #expect(try await test.b.shell("ls | wc -l") == "463")
            }
        }

        @Test("SIGTERM ends a server in an orderly way while devices listen, and they reconnect by themselves")
        func orderlyEnd() async throws {
            try await withTwo { server, test in
                try await test.a.shell("echo one > f")
                try await eventually("B has it") { try await test.b.contents("f") == "one" }
                server.send(SIGTERM)
                #expect(server.waitForEnd() == 0)
                try await test.a.shell("echo two > f")
                try server.start()
                try await eventually("B has the new one") { try await test.b.contents("f") == "two" }
            }
        }

        @Test("a server that stops responding blocks no local access, and everything continues when it resumes")
        func frozen() async throws {
            try await withTwo { server, test in
                try await test.a.shell("echo one > f")
                try await eventually("B has it") { try await test.b.contents("f") == "one" }
                server.send(SIGSTOP)
                try await test.a.shell("echo two > f; mkdir d; echo new > d/g; ls -lR; cat f")
                server.send(SIGCONT)
                try await test.expectConverged()
            }
        }

        @Test("with a certificate a server speaks TLS and nothing else")
        func encrypted() async throws {
            let folder = "\(NSTemporaryDirectory())/ubq-tls-\(UUID().uuidString)"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let runner = ProgramRunner(environment: [:]) {}
            try await runner.run(
                "openssl",
                [
                    "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
                    "subjectAltName=IP:127.0.0.1", "-keyout", "key.pem", "-out", "certificate.pem",
                ], in: folder
            ).text()
            let server = try ServerProcess(
                options: ["--tls-certificate", "\(folder)/certificate.pem", "--tls-key", "\(folder)/key.pem"])
            try server.start()
            defer { server.close() }
            let health = try await runner.run(
                "curl", ["-sS", "--cacert", "certificate.pem", "\(server.url)/health"], in: folder)
            #expect(try health.text() == "{\"status\":\"ok\"}")
            let plain = try await runner.run(
                "curl", ["-sS", "\(server.url)/health".replacing("https", with: "http")], in: folder)
            #expect(!plain.succeeded)
            let untrusting = try await runner.run("curl", ["-sS", "\(server.url)/health"], in: folder)
            #expect(untrusting.status == 60, "\(untrusting)")
            try await expectTrust(in: server.url, authority: "\(folder)/certificate.pem")
        }

        /// Devices trust that server only with its certificate, and only under the certificate's name.
        private func expectTrust(in url: String, authority: String) async throws {
            let request = HTTPRequest("GET", "\(url)/health")
            let trust = try ServerTrust(additional: String(contentsOfFile: authority, encoding: .utf8))
            let trusting = HTTPConnections(trust: trust)
            #expect(try await trusting.send(request, within: .seconds(60)).status == 200)
            let otherName = HTTPRequest("GET", "\(url)/health".replacing("127.0.0.1", with: "localhost"))
            let plain = HTTPRequest("GET", "\(url)/health".replacing("https", with: "http"))
            for (connections, request, reason) in [
                (HTTPConnections(), request, "is not trusted"), (trusting, otherName, "for another host name"),
                (trusting, plain, "does it expect https?"),
            ] {
                do {
                    _ = try await connections.send(request, within: .seconds(60))
                    Issue.record("\(request) had a response")
                } catch {
                    let description = ConnectionProblem.description(of: error)
                    #expect(description.contains(reason), "\(description)")
                }
            }
        }

        @Test(
            "a command of the server's owner empties a container and resets a device while the server runs, and devices follow by themselves"
        )
        func resets() async throws {
            try await withTwo { server, test in
                try await test.expectSameEverywhere("mkdir -p a/b; for i in $(seq 20); do echo $i > a/b/$i; done")
                let said = try server.command(["container", "reset", "anna", "CloudDocs", "--yes"])
                #expect(said.contains("Deleted 22 items"), "\(said)")
                for device in test.devices {
                    try await eventually("\(device) shows nothing") { try await device.shell("ls | wc -l") == "0" }
                }
                _ = try server.command(["device", "reset", "1"])
                #expect(try server.command(["device", "list"]).contains("reset requested"))
                // Both mounts belong to the same device, because their user signed in once.
                for device in test.devices {
                    try await eventually("\(device.name) has reset itself") {
                        try String(contentsOfFile: "\(device.state)/daemon.log", encoding: .utf8)
                            .contains("rebuilt the state")
                    }
                }
                #expect(try !server.command(["device", "list"]).contains("reset requested"))
                try await eventually("B is mounted again") {
                    try await test.b.shell("echo after > after; cat after") == "after"
                }
                try await eventually("it goes on") { try await test.a.contents("after") == "after" }
            }
        }

        @Test(
            "a device whose access became read-only keeps its edits and says why they are not sent; signed in for writing it uploads them"
        )
        func readOnly() async throws {
            try await withTwo { server, test in
                try await test.a.shell("echo one > f")
                try await eventually("B has it") { try await test.b.contents("f") == "one" }
                let code = try server.code(of: "anna", ["--scope", "read", "--expires", "30d"])
                try await test.a.ubiquity(["login", server.url, "--code", code]).text()
                // A daemon reads the sign-in file for each request, so this edit is sent with the new token.
                try await test.a.shell("echo two > f; cat f")
                try await eventually("the status says why") {
                    try await test.a.ubiquity(["status", test.a.mount]).text().contains("read-only")
                }
                #expect(try await test.a.contents("f") == "two")
                try await test.a.ubiquity(["login", server.url, "--code", server.code()]).text()
                try await eventually("B has the edit") { try await test.b.contents("f") == "two" }
            }
        }

        @Test(
            "a sign-in is readable by its user only, ends with logout, and edits made meanwhile are sent after the next login"
        )
        func login() async throws {
            try await withTwo { server, test in
                let file = try await test.a.shell("find $XDG_STATE_HOME/ubiquity/servers -type f -printf '%m '")
                #expect(file == "600")
                try await test.a.shell("echo one > f")
                try await eventually("B has it") { try await test.b.contents("f") == "one" }
                let refused = try await test.a.ubiquity(["login", server.url, "--code", "AAAA-BBBB-CCCC-DDDD"])
                #expect(refused.status == 6, "\(refused)")
                try await test.a.ubiquity(["logout", server.url, "--yes"]).text()
                try await test.a.shell("echo two > f; cat f")
                try await eventually("the status says what to do") {
                    try await test.a.ubiquity(["status"]).text().contains("ubiquity login \(server.url)")
                }
                let reset = try await test.a.ubiquity(["reset", test.a.mount, "--yes"])
                #expect(!reset.succeeded && reset.errors.contains("Nothing was changed"), "\(reset)")
                #expect(try await test.a.contents("f") == "two")
                let again = try await test.a.ubiquity(["logout", server.url, "--yes"])
                #expect(again.status == 1 && again.errors.contains("not signed in"), "\(again)")
                try await test.a.ubiquity(["login", server.url, "--code", server.code()]).text()
                try await eventually("B has the edit") { try await test.b.contents("f") == "two" }
                try await test.a.sync()
                try await test.a.shell("echo three > g")
                let removed = try await test.a.ubiquity(["logout", server.url, "--remove-files"])
                #expect(removed.succeeded && removed.output.contains("Removed the local bytes"), "\(removed)")
                // The uploaded files are placeholders now; the edit not yet uploaded still exists.
                #expect(try await test.a.shell("cat g") == "three")
                #expect(try await test.a.attribute("status", of: "f") == "notDownloaded")
                try await test.a.ubiquity(["login", server.url, "--code", server.code()]).text()
                try await eventually("it goes up later") { try await test.b.contents("g") == "three" }
                let devices = try server.command(["device", "list"])
                let rows = devices.split(separator: "\n").prefix {
                    !$0.hasPrefix("The mount of ") && !$0.hasPrefix("Device ")
                }
                #expect(rows.count == 4 && devices.contains("revoked"), "\(devices)")
            }
        }
    }
}
