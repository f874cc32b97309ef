import Chunking
import CloudModel
import CloudProtocol
import CloudStorage
import ContainerLog
import HTTPCloud
import Logging
import TestSupport
import Testing

extension EndToEnd {
    /// Entries that no honest device writes, in a log followed by every device.
    @Suite("Logs of extreme values")
    struct ExtremeLogTests {
        @Test(
            "items with extreme values can be listed, queried and removed; unreadable ones are errors, and ordinary items keep working"
        )
        func shown() async throws {
            try await ServerProcess.with { server in
                try await TestDevices.with(devices: ["A", "B"], cloud: server.url) { test in
                    try await test.a.ubiquity(["login", server.url, "--code", server.code()]).text()
                } _: { test in
                    try await test.a.shell("echo honest > honest")
                    try await test.a.sync()
                    try await Self.append(to: server)
                    for device in test.devices {
                        try await eventually("\(device.name) has followed the log") {
                            try await device.tryShell("test -d 'package 3.key'").succeeded
                        }
                        try await Self.look(device)
                    }
                    try await test.b.shell("echo more >> honest; rm -rf package* link*")
                    // Conflict versions of removed items stay beside them and cannot be read either, so names and the bytes of the honest
                    // file are compared.
                    let names = "find . -printf '%y %p %s\\n' | sort"
                    try await eventually("both show the same") {
                        try await test.a.shell(names) == test.b.shell(names)
                    } describe: {
                        try await "\(test.a.shell(names))\n\(test.b.shell(names))"
                    }
                    #expect(try await test.a.shell("cat honest") == "honest\nmore")
                }
            }
        }

        private static func append(to server: ServerProcess) async throws {
            let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let address = try ServerAddress(server.url)
            let connection = ServerConnection(address: address, logger: quiet) { nil }
            let token = try await connection.signIn(code: server.code(), device: "hostile").token
            let device = HTTPBackend(address: address, logger: quiet) { token }
            _ = try await device.connect(create: false)
            let bytes = Array("some bytes".utf8)
            try await device.putChunk(.of(bytes), frame: ChunkFrame.encode(bytes), in: .cloudDocs)
            let content = ContentReference(digest: .of(bytes), size: UInt64(bytes.count), layout: .chunk)
            for batch in try ExtremeBatches.all(naming: content, withRefused: false) {
                _ = try await device.append(batch.encoded(), to: .cloudDocs)
            }
        }

        /// Runs everything that requests all items. A request about one item may fail, but the daemon must not.
        private static func look(_ device: TestDevice) async throws {
            try await device.shell("ls -lRi --time-style=full-iso . > /dev/null; df . > /dev/null")
            try await device.shell(
                "find . -print0 | xargs -0 getfattr -h -d -n user.ubiquity.json > /dev/null 2>&1 || true")
            try await device.shell("find . -type f -print0 | xargs -0 -n 8 timeout 60 cat > /dev/null 2>&1 || true")
            for arguments in [
                ["status", "--json", device.mount], ["find", "--scope", "all", "size >= 0", device.mount],
            ] {
                let outcome = try await device.ubiquity(arguments)
                #expect(outcome.succeeded, "\(arguments): \(outcome)")
            }
            let names = try await device.shell("find . -type f -name 'stored*' -print -quit")
            _ = try await device.ubiquity(["versions", "\(device.documents)/\(names)"])
            _ = try await device.ubiquity(["status", "--json", device.documents])
            _ = try await device.ubiquity(["check", device.mount], limit: .seconds(120))
            #expect(try await device.shell("stat -c '%y' 'package 0.key'") == "1677-09-21 00:12:43.145224192 +0000")
        }
    }
}
