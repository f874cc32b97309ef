import Basics
import CloudServer
import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Options of ubiquity-server")
    struct ServerOptionTests {
        private let runner = ProgramRunner(environment: ["HOME": NSTemporaryDirectory()]) {}
        private let program: String

        init() throws { program = "\(try TestDevices.binaries())/ubiquity-server" }

        /// Runs `body` with a new folder and removes it afterwards.
        private func withFolder(_ body: (String) async throws -> Void) async throws {
            let folder = "\(NSTemporaryDirectory())/ubq-options-\(UUID().uuidString)"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            try await body(folder)
        }

        @Test("a file of settings may have every long option of serve, and no other key")
        func keys() async throws {
            let help = try await runner.run(program, ["serve", "--help"], in: "/").text()
            let options = Set(help.matches(of: /(?m)^  --([a-z-]+)/).map { String($0.1) })
            #expect(options.subtracting(["settings", "version"]) == SettingsFile.server.keys)
        }

        @Test(
            "a place that is not complete is refused with a reason",
            arguments: [
                (["--database", "postgres://h/n"], "also needs --chunks"),
                (["--chunks", "s3://b"], "also needs --database"),
                (["account", "list"], "--data DIR"),
                (["backup", "--to", "/nowhere/x", "--database", "postgres://h/n", "--chunks", "s3://b"], "pg_dump"),
                (["--settings", "/nowhere/conf"], "No such file"),
                (["--data", "/nowhere/data", "--direct-downloads"], "needs --chunks"),
            ])
        func incomplete(arguments: [String], reason: String) async throws {
            let outcome = try await runner.run(program, arguments, in: "/")
            #expect(!outcome.succeeded)
            #expect("\(outcome)".contains(reason), "\(outcome)")
        }

        @Test(
            "a server with a file of settings reports a shutdown to load balancers while it still accepts connections")
        func drain() async throws {
            try await withFolder { folder in
                let port = try Loopback.reservePort()
                try """
                # for the server and for the owner's commands
                data = \(folder)/data
                listen = 127.0.0.1:\(port)
                drain-seconds = 120
                """.write(toFile: "\(folder)/conf", atomically: true, encoding: .utf8)
                let server = Process()
                let output = Pipe()
                server.executableURL = URL(filePath: program)
                server.arguments = ["--settings", "\(folder)/conf", "--log-level", "error"]
                server.standardOutput = output
                try server.run()
                defer {
                    kill(server.processIdentifier, SIGKILL)
                    server.waitUntilExit()
                }
                let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
                #expect(line.contains(":\(port)"))
                _ = try await runner.run(program, ["account", "add", "anna", "--settings", "conf"], in: folder).text()
                func status(_ path: String) async throws -> String {
                    try await runner.run(
                        "curl", ["-sS", "-o", "body", "-w", "%{http_code}", "http://127.0.0.1:\(port)/\(path)"],
                        in: folder
                    ).text()
                }
                let ready = try await status("health/ready")
                #expect(ready == "200")
                kill(server.processIdentifier, SIGTERM)
                try await eventually("the server is not ready any more") { try await status("health/ready") == "503" }
                #expect(try String(contentsOfFile: "\(folder)/body", encoding: .utf8).contains("shutting down"))
                let live = try await status("health/live")
                #expect(live == "200")
            }
        }
    }
}
