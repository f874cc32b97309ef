import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Programs that may not download the documents they open. Their messages call `EAGAIN` "Resource temporarily
    /// unavailable".
    @Suite("Background programs")
    struct BackgroundProgramTests {
        private static let refusal = "Resource temporarily unavailable"
        private static let far = "placeholder"
        private static let near = "resident"

        /// Creates a document that B has, and a document only in the cloud.
        private static func with(_ body: (TestDevice) async throws -> Void) async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                let (a, b) = (test.a, test.b)
                try await a.shell("seq 1 1000 > \(near); head -c 3M /dev/urandom > \(far)")
                try await a.sync()
                try await eventually("B lists what A has") { try await b.paths() == a.paths() }
                try await b.shell("cat \(near) > /dev/null")
                try await eventually("the first one is here") {
                    try await b.attribute("status", of: near) == "current"
                }
                try await body(b)
            }
        }

        /// Expects that a program is refused the placeholder without a download, and that it reads the local document.
        private static func expectRefusal(_ device: TestDevice, _ command: String) async throws {
            let refused = try await device.runner.run(
                "bash", ["-c", "\(command) head -c 1 \(far)"], in: device.documents, limit: .seconds(30))
            #expect(!refused.succeeded && refused.errors.contains(refusal), "\(refused)")
            let read = try await device.runner.run(
                "bash", ["-c", "\(command) head -n 1 \(near)"], in: device.documents, limit: .seconds(30))
            #expect(read.succeeded && read.output == "1\n", "\(read)")
            let status = try await device.attribute("status", of: far)
            #expect(status == "notDownloaded")
        }

        @Test(
            "a program of an idle class gets EAGAIN for a placeholder and downloads nothing; documents that are here it reads",
            arguments: ["chrt -i 0", "ionice -c 3"])
        func idle(command: String) async throws {
            try await Self.with { device in
                try await Self.expectRefusal(device, command)
                let written = try await device.runner.run(
                    "bash", ["-c", "\(command) bash -c 'echo x >> \(Self.far)'"], in: device.documents)
                #expect(written.errors.contains(Self.refusal), "\(written)")
                try await device.shell("\(command) bash -c ': > \(Self.far); echo new > \(Self.far)'")
                #expect(try await device.contents(Self.far) == "new", "to replace a document needs none of its bytes")
            }
        }

        @Test("the same program without the class reads the placeholder, also right after it was refused")
        func ordinary() async throws {
            try await Self.with { device in
                try await Self.expectRefusal(device, "chrt -i 0")
                let count = try await device.shell("head -c 1 \(Self.far) | wc -c")
                #expect(count == "1")
                // A program started as ordinary work is looked up again after it lowers its own class.
                let script = """
                    exec 3< \(Self.far); exec 3<&-; ionice -c 3 -p $$; if exec 3< \(Self.far); then exit 1; fi
                    """
                try await device.evict(Self.far)
                let lowered = try await device.runner.run("bash", ["-c", script], in: device.documents)
                #expect(lowered.errors.contains(Self.refusal), "\(lowered)")
            }
        }

        @Test("ubiquity run decides for a program and its children, and --download also for background programs")
        func run() async throws {
            try await Self.with { device in
                let run = "'\(device.binaries)/ubiquity' run"
                try await Self.expectRefusal(device, "\(run) --no-download --")
                try await Self.expectRefusal(device, "\(run) --no-download -- bash -c '\"$@\"; exit $?' bash")
                try await Self.expectRefusal(device, "\(run) --no-download -- bash -c 'env -i \"$@\"; exit $?' bash")
                let inner = try await device.shell(
                    "\(run) --no-download -- \(run) --download -- ionice -c 3 head -c 1 \(Self.far) | wc -c")
                #expect(inner == "1")
            }
        }

        @Test("ubiquity run has the exit status of the program, or says why it cannot be run")
        func statuses() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let cases: [([String], Int32, String)] = [
                    (["--download", "--", "sh", "-c", "exit 9"], 9, ""),
                    (["--no-download", "--", "no-such-program"], 127, "cannot be run"),
                    (["--no-download", "--", "/"], 126, "cannot be run"),
                    (["--", "true"], 64, "--no-download"), (["--download"], 64, "after \"--\""),
                ]
                for (arguments, status, message) in cases {
                    let outcome = try await test.a.ubiquity(["run"] + arguments)
                    #expect(outcome.status == status, "\(outcome)")
                    #expect(message.isEmpty || outcome.errors.contains(message), "\(outcome)")
                }
            }
        }

        @Test(
            "programs.json names programs that get everything, a head or nothing; a mistake in it is reported by mount")
        func settings() async throws {
            try await Self.with { device in
                let folder =
                    try #require(ProcessInfo.processInfo.environment["XDG_CONFIG_HOME"])
                    + "/ubiquity-\(UUID().uuidString)"
                let file = "\(folder)/ubiquity/programs.json"
                try FileManager.default.createDirectory(
                    atPath: "\(folder)/ubiquity", withIntermediateDirectories: true)
                defer { try? FileManager.default.removeItem(atPath: folder) }
                let rules = #"{"deny": ["head"], "full": ["tail"], "head": ["od"]}"#
                try Data(rules.utf8).write(to: URL(filePath: file))
                try await device.stop()
                let standIn = DaemonStandIn(of: device, environment: ["XDG_CONFIG_HOME": folder])
                try await device.start(standIn: standIn)
                try await Self.expectRefusal(device, "")
                let look = try await device.run("od", "-N", "4", Self.far)
                #expect(look.succeeded, "\(look)")
                let beyond = try await device.run("od", "-N", "4", "-j", "2500000", Self.far)
                #expect(beyond.errors.contains(Self.refusal), "\(beyond)")
                let count = try await device.shell("ionice -c 3 tail -c +1 \(Self.far) | wc -c")
                #expect(count == "\(3 << 20)")

                try await device.stop()
                try Data(#"{"block": []}"#.utf8).write(to: URL(filePath: file))
                let noted = try await device.runner.adding(["XDG_CONFIG_HOME": folder]).run(
                    "\(device.binaries)/ubiquity", ["mount", device.mount, "--state", device.state], in: "/")
                #expect(
                    noted.succeeded && (noted.output + noted.errors).contains(#""block" is not one of"#), "\(noted)")
                try await device.ubiquity(["unmount", device.mount]).text()
            }
        }
    }
}
