import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Messages for impossible requests, each compared as a whole.
    @Suite("Invalid input")
    struct BadInputTests {
        /// Mounts with these arguments, and expects this status and message and no mount.
        private func refused(
            _ test: TestDevices, _ arguments: [String], status: Int32, _ message: String,
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            let outcome = try await test.a.ubiquity(["mount"] + arguments)
            #expect(outcome.status == status, "\(outcome)", sourceLocation: sourceLocation)
            #expect(outcome.errors == "ubiquity: \(message)\n", sourceLocation: sourceLocation)
            #expect(outcome.output.isEmpty, sourceLocation: sourceLocation)
        }

        @Test("addresses that are not clouds, are of a kind that does not exist, or lack a region")
        func clouds() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                try await test.a.stop()
                let rest = [test.a.mount, "--state", "\(test.root)/other"]
                let advice = "Use file:///DIR, http(s)://HOST or s3://BUCKET/PREFIX."
                try await refused(
                    test, rest + ["--cloud", "gopher://x"], status: 64,
                    "not a valid cloud address, clouds of the kind \"gopher\" are not supported: gopher://x. \(advice)"
                )
                try await refused(
                    test, rest + ["--cloud", "file://relative"], status: 64,
                    "not a valid cloud address, a file URL has three slashes before its path: file://relative. \(advice)"
                )
                try await refused(
                    test, rest + ["--cloud", "mycloud"], status: 64,
                    "not a valid cloud address, it is neither a URL nor a path: mycloud. \(advice)")
                try await refused(
                    test, rest + ["--cloud", "s3://bucket"], status: 64,
                    "the region of the bucket bucket is not known. Add it: s3://bucket?region=eu-central-1.")
                try await refused(
                    test, rest + ["--cloud", "https://cloud.example?x"], status: 64,
                    "not a valid server address, it has a user, a query, a fragment or invalid "
                        + "characters: https://cloud.example?x. Use http(s)://HOST[:PORT], or "
                        + "http(s)://ACCOUNT@HOST[:PORT].")
            }
        }

        @Test("numbers below the smallest allowed one, with or without an equals sign")
        func numbers() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                for arguments in [["--timeout", "-1"], ["--timeout=-1"]] {
                    let outcome = try await test.a.ubiquity(["sync", "--wait"] + arguments)
                    #expect(outcome.status == 64 && outcome.errors.contains("a number above 0"), "\(outcome)")
                }
                let days = try await test.a.ubiquity(["mount", "--version-days", "-1"])
                #expect(days.status == 64 && days.errors.contains("'-1' is negative"), "\(days)")
            }
        }

        @Test("mount points that are not empty, not a folder, or below a missing folder")
        func mountPoints() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let root = test.root
                try await test.a.shell("mkdir \(root)/full; echo mine > \(root)/full/file; echo x > \(root)/plainfile")
                let rest = ["--state", "\(root)/other", "--cloud", test.cloud.url]
                try await refused(
                    test, ["\(root)/full"] + rest, status: 6,
                    "the mount point is not empty: \(root)/full. "
                        + "Its files would be hidden: move them away, or mount elsewhere and copy them into the mount.")
                try await refused(
                    test, ["\(root)/plainfile"] + rest, status: 6,
                    "the mount point is not a folder: \(root)/plainfile. Name a folder.")
                try await refused(
                    test, ["\(root)/no/such/folder"] + rest, status: 6,
                    "cannot mount here, the folder above it does not exist: \(root)/no/such/folder. "
                        + "Create that folder first.")
                try await refused(
                    test, [test.a.mount] + rest, status: 6,
                    "already mounted (pid \(try #require(test.a.daemon.pid))): \(test.a.mount). "
                        + "Use it, or unmount it first.")
                #expect(try await test.a.shell("cat \(root)/full/file") == "mine")
            }
        }

        @Test("a second daemon on the same state")
        func secondDaemon() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                try await test.a.shell("mkdir \(test.root)/second; echo x > f")
                let pid = try #require(test.a.daemon.pid)
                try await refused(
                    test, ["\(test.root)/second", "--state", test.a.state, "--cloud", test.cloud.url], status: 6,
                    "daemon \(pid) uses this state directory: \(test.a.state). "
                        + "Unmount that one first, or choose another directory with --state.")
                #expect(try await test.a.contents("f") == "x")
            }
        }

        @Test("a state of a newer version is refused and not changed, also by reset")
        func newerState() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                try await test.a.shell("echo x > f")
                try await test.a.sync()
                try await test.a.stop()
                let file = "\(test.a.state)/metadata.sqlite"
                let sqlite = "INSERT INTO grdb_migrations VALUES ('v999')"
                #expect(try await test.a.ubiquity(["--version"]).succeeded)
                try await test.a.runner.run("sqlite3", [file, sqlite], in: "/").text()
                let before = try Data(contentsOf: URL(filePath: file))
                let message =
                    "\(file) was written by a newer version of ubiquity. Install that version; nothing was changed."
                let rest = [test.a.mount, "--state", test.a.state, "--cloud", test.cloud.url]
                try await refused(test, rest, status: 1, message)
                let reset = try await test.a.ubiquity(["reset", test.a.mount, "--state", test.a.state, "--yes"])
                #expect(reset.status == 1 && reset.errors == "ubiquity: \(message)\n", "\(reset)")
                #expect(try Data(contentsOf: URL(filePath: file)) == before)
                try await test.a.runner.run(
                    "sqlite3", [file, "DELETE FROM grdb_migrations WHERE identifier = 'v999'"], in: "/"
                ).text()
                try await test.a.start()
                #expect(try await test.a.contents("f") == "x")
            }
        }

        @Test("a missing /dev/fuse, or another file in its place")
        func noFuse() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                try await test.a.shell("echo x > f")
                try await test.a.sync()
                try await test.a.stop()
                let command = test.a.command([
                    "mount", test.a.mount, "--state", test.a.state, "--cloud", test.cloud.url,
                ])
                for hide in ["mount --bind /dev/null /dev/fuse", "mount -t tmpfs none /dev && touch /dev/null"] {
                    let outcome = try await test.a.runner.run(
                        "unshare", ["-m", "bash", "-c", "\(hide) && exec \(command)"], in: "/")
                    #expect(outcome.status == 1 || outcome.status == 6, "\(outcome)")
                    #expect(outcome.errors.contains("/dev/fuse"), "\(outcome)")
                    #expect(outcome.errors.contains("modprobe fuse"), "\(outcome)")
                    #expect(!outcome.errors.contains("..") && !outcome.errors.contains(".:"), "\(outcome)")
                }
                try await test.a.start()
                #expect(try await test.a.contents("f") == "x")
            }
        }

        @Test("paths that do not exist, and a command that does not exist")
        func commands() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let missing = try await test.a.ubiquity(["status", test.a.path("nothing")])
                #expect(missing.status == 1)
                #expect(
                    missing.errors
                        == "ubiquity: no such file or folder: \(test.a.path("nothing")). `ubiquity deleted` lists deleted items.\n"
                )
                let elsewhere = try await test.a.ubiquity(["evict", "/usr"])
                #expect(elsewhere.status == 2)
                let unknown = try await test.a.ubiquity(["rest"])
                #expect(unknown.status == 64 && unknown.errors.contains("Did you mean 'reset'?"))
            }
        }
    }
}
