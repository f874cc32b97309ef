import Foundation
import Testing

extension EndToEnd {
    @Suite("A server on an older database")
    struct SetBackServerTests {
        @Test("the program says so at its start, before a device has come, and in its health")
        func start() async throws {
            let log = "\(NSTemporaryDirectory())/set-back-\(UUID().uuidString).log"
            defer { try? FileManager.default.removeItem(atPath: log) }
            _ = FileManager.default.createFile(atPath: log, contents: nil)
            let server = try ServerProcess(log: FileHandle(forWritingAtPath: log))
            defer { server.close() }
            func runOnce() throws -> String {
                try server.start()
                let health = try self.health(of: server)
                server.send(SIGTERM)
                #expect(server.waitForEnd() == 0)
                return health
            }
            _ = try server.command(["account", "add", "anna"])
            #expect(try runOnce() == #"{"status":"ok"}"#)
            let copy = "\(server.data)-copy"
            try FileManager.default.copyItem(atPath: server.data, toPath: copy)
            #expect(try runOnce() == #"{"status":"ok"}"#)
            #expect(try String(contentsOfFile: log, encoding: .utf8).contains("went back") == false)
            // The file beside the database stays.
            try FileManager.default.removeItem(atPath: "\(copy)/generation")
            try FileManager.default.copyItem(atPath: "\(server.data)/generation", toPath: "\(copy)/generation")
            try FileManager.default.removeItem(atPath: server.data)
            try FileManager.default.moveItem(atPath: copy, toPath: server.data)
            for starts in 1...2 {
                #expect(try runOnce().contains("The database went back to an earlier state"))
                let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
                    .filter { $0.contains("The database went back") }
                #expect(lines.count == starts && lines[0].contains("critical"), "\(lines)")
            }
            _ = try server.command(["restored", "--yes", "--trust-devices"])
            #expect(try runOnce() == #"{"status":"ok"}"#)
        }

        private func health(of server: ServerProcess) throws -> String {
            let (process, output) = (Process(), Pipe())
            process.executableURL = URL(filePath: "/usr/bin/curl")
            process.arguments = ["-sS", "\(server.url)/health"]
            process.standardOutput = output
            try process.run()
            let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            process.waitUntilExit()
            return text
        }
    }
}
