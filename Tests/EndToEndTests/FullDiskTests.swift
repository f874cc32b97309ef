import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// A full disk with the state of a device or its cloud.
    @Suite("Full disk")
    struct FullDiskTests {
        /// Mounts a small file system over a folder while `body` runs.
        private func withSmallDisk(
            at path: String, _ megabytes: Int, of device: TestDevice, _ body: () async throws -> Void
        ) async throws {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            try await device.runner.run(
                "mount", ["-t", "tmpfs", "-o", "size=\(megabytes)m,mode=700", "none", path], in: "/"
            )
            .text()
            do { try await body() } catch {
                // An error of the test takes precedence over an error of `umount`.
                _ = try? await device.runner.run("umount", ["-l", path], in: "/")
                throw error
            }
            try await device.runner.run("umount", ["-l", path], in: "/").text()
        }

        @Test(
            "on a full state disk a write fails with ENOSPC at once, nothing hangs, and everything continues when there is space"
        )
        func state() async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                let a = test.a
                try await a.stop()
                try await withSmallDisk(at: a.state, 16, of: a) {
                    try await a.start(["--minimum-free", "0"])
                    try await a.shell("echo before > before")
                    try await a.sync()
                    let filled = try await a.run(
                        "dd", "if=/dev/urandom", "of=\(a.path("big"))", "bs=1M", "count=40", limit: .seconds(20))
                    #expect(filled.errors.contains("No space left on device"), "\(filled)")
                    // The database has no free byte either.
                    _ = try await a.runner.run("dd", ["if=/dev/zero", "of=\(a.state)/ballast", "bs=4k"], in: "/")
                    let small = try await a.tryShell("head -c 3000000 /dev/zero > small", limit: .seconds(20))
                    #expect(!small.succeeded && small.errors.contains("No space left on device"), "\(small)")
                    #expect(try await a.contents("before") == "before")
                    let status = try await a.ubiquity(["status", a.mount], limit: .seconds(20)).text()
                    #expect(status.contains("pid"))
                    try FileManager.default.removeItem(atPath: "\(a.state)/ballast")
                    try await a.shell("rm -f big small; echo after > after", limit: .seconds(20))
                    try await a.sync()
                    try await eventually("B has all") {
                        try await test.b.tryShell("grep -q after after && grep -q before before").succeeded
                    }
                    try await a.stop()
                }
                try await a.start()
            }
        }

        @Test("with a full cloud, edits stay queued with a reason, and are uploaded when there is space")
        func cloud() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let a = test.a
                try await a.stop()
                try? FileManager.default.removeItem(atPath: test.cloud.directory)
                try FileManager.default.removeItem(atPath: a.state)
                try await withSmallDisk(at: test.cloud.directory, 8, of: a) {
                    try await a.start()
                    try await a.shell("echo before > before")
                    try await a.sync()
                    try await a.shell(
                        "head -c 12000000 /dev/urandom > big; sha256sum < big > ../sum", limit: .seconds(20))
                    try await eventually("it says why") { try await a.attribute("uploadingError", of: "big") != nil }
                    let reason = try #require(try await a.attribute("uploadingError", of: "big"))
                    #expect(
                        reason.contains("of 8.0 MiB are free. Free some space on the disk that holds it"), "\(reason)")
                    #expect(try await a.attribute("isUploaded", of: "big") == "0")
                    let text = try await a.ubiquity(["status", a.mount]).text()
                    #expect(text.contains("CloudDocs/Documents/big") && !text.contains(".:"), "\(text)")
                    let waited = try await a.ubiquity(["sync", a.mount, "--wait", "--timeout", "3"])
                    #expect(waited.status == 5, "\(waited)")
                    #expect(try await a.shell("sha256sum < big | cmp - ../sum").isEmpty)
                    try await a.runner.run(
                        "mount", ["-o", "remount,size=64m", test.cloud.directory], in: "/"
                    ).text()
                    try await a.sync()
                    #expect(try await a.attribute("uploadingError", of: "big") == nil)
                    #expect(try await a.attribute("isUploaded", of: "big") == "1")
                    try await a.stop()
                }
                try FileManager.default.removeItem(atPath: a.state)
                try await a.start()
            }
        }
    }
}
