import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Mounts in use, mounts that would contain themselves, and mounts started without their cloud.
    @Suite("Unmounting busy mounts, and mounts that are refused")
    struct BusyMountTests {
        @Test("unmount refuses a mount in which a program has a file open and names both, unless it is forced")
        func busy() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let a = test.a
                try await a.shell("echo text > f")
                // The shell keeps the file open while it runs the command.
                let refused = try await a.tryShell("exec 7>>f; \(a.command(["unmount", a.mount])); true")
                #expect(refused.status == 6, "\(refused)")
                #expect(refused.errors.contains("in use: ") && refused.errors.contains("bash (pid "), "\(refused)")
                #expect(refused.errors.contains("has \(a.path("f")) open: \(a.mount)"), "\(refused)")
                #expect(refused.errors.contains("--force"), "\(refused)")
                #expect(try await a.contents("f") == "text")
                let forced = try await a.tryShell(
                    "exec 7>>f; \(a.command(["unmount", "--force", a.mount])); true")
                #expect(forced.output.contains("Unmounted"), "\(forced)")
                a.daemon.set(nil)
                try await a.start()
            }
        }

        @Test("a program whose working directory is in the mount does not keep it busy")
        func folder() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let outcome = try await test.a.tryShell("mkdir d; cd d; \(test.a.command(["unmount", test.a.mount]))")
                #expect(outcome.succeeded, "\(outcome)")
                test.a.daemon.set(nil)
                try await test.a.start()
            }
        }

        @Test(
            "mounts inside mounts, and clouds and states inside mounts or inside their own mount point, are refused")
        func nested() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let (a, root) = (test.a, test.root)
                try await a.shell("mkdir inner; ln -s \(a.documents) \(root)/link; mkdir \(root)/other")
                let other = "\(root)/other"
                let free = ["--state", "\(root)/state-of-other", "--cloud", "file://\(root)/cloud-of-other"]
                func refused(
                    _ arguments: [String], _ message: String, sourceLocation: SourceLocation = #_sourceLocation
                ) async throws {
                    let outcome = try await a.ubiquity(["mount"] + arguments)
                    #expect(outcome.status == 6, "\(outcome)", sourceLocation: sourceLocation)
                    #expect(outcome.errors.contains(message), "\(outcome)", sourceLocation: sourceLocation)
                }
                try await refused([a.path("inner")] + free, "the mount point is inside the mount \(a.mount)")
                try await refused(["\(root)/link/inner"] + free, "the mount point is inside the mount \(a.mount)")
                for inside in [a.path("x/y"), "\(root)/link/x"] {
                    try await refused(
                        [other, "--state", inside], "the state directory is inside the mount \(a.mount): \(inside)")
                    try await refused(
                        [other, "--state", "\(root)/s", "--cloud", "file://\(inside)"],
                        "the cloud is inside the mount \(a.mount): \(inside)")
                }
                try await refused(
                    [other, "--state", "\(other)/s"],
                    "the state directory is inside the mount point, which would hide it")
                try await refused(
                    [other, "--state", "\(root)/s", "--cloud", "file://\(other)/c"],
                    "the cloud is inside the mount point")
                #expect(!FileManager.default.fileExists(atPath: "\(root)/s/metadata.sqlite"))
                #expect(try await a.list() == ["inner"])
            }
        }

        @Test("they are refused through a bind mount, too", .needsRoot)
        func bound() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let (a, root) = (test.a, test.root)
                try await a.shell(
                    "mkdir -p inner \(root)/bound \(root)/twin \(root)/point/m; mount --bind \(a.documents) \(root)/bound; "
                        + "mount --bind \(root)/point \(root)/twin")
                let free = ["--state", "\(root)/other", "--cloud", "file://\(root)/cloud-of-other"]
                let inner = try await a.ubiquity(["mount", "\(root)/bound/inner"] + free)
                let state = try await a.ubiquity(["mount", "\(root)/point/m", "--state", "\(root)/twin/m/s"])
                try await a.runner.run("umount", ["\(root)/bound", "\(root)/twin"], in: "/").text()
                #expect(inner.status == 6 && inner.errors.contains("inside the mount \(root)/bound"), "\(inner)")
                #expect(state.status == 6 && state.errors.contains("inside the mount point"), "\(state)")
            }
        }

        @Test(
            "unmount removes a mount that is also mounted over itself, and does not say so while one is left",
            .needsRoot)
        func stacked() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let a = test.a
                let mounts = "grep -c ' \(a.mount) ' /proc/self/mountinfo || true"
                try await a.runner.run("mount", ["--bind", a.mount, a.mount], in: "/").text()
                #expect(try await a.runner.run("sh", ["-c", mounts], in: "/").text() == "2")
                #expect(try await a.ubiquity(["unmount", a.mount]).text() == "Unmounted \(a.mount).")
                #expect(try await a.runner.run("sh", ["-c", mounts], in: "/").text() == "0")

                try await a.start()
                try await a.runner.run("mount", ["-t", "tmpfs", "none", a.mount], in: "/").text()
                let covered = try await a.ubiquity(["unmount", a.mount])
                #expect(
                    covered.status == 1 && covered.errors.contains("another file system is mounted over it"),
                    "\(covered)")
                try await a.runner.run("umount", [a.mount], in: "/").text()
                #expect(try await a.ubiquity(["unmount", a.mount]).status == 0)
                #expect(try await a.runner.run("sh", ["-c", mounts], in: "/").text() == "0")
            }
        }

        @Test("a mount that starts without its cloud warns on standard error, and one with its cloud prints nothing")
        func withoutCloud() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                try await test.a.stop()
                try test.cloud.goOffline()
                let arguments = ["mount", test.a.mount, "--state", test.a.state]
                let away = try await test.a.ubiquity(arguments)
                try test.a.adopt(away)
                #expect(away.errors.hasPrefix("ubiquity: the cloud cannot be reached: "), "\(away)")
                #expect(away.errors.hasSuffix(" Edits wait until it can.\n"), "\(away)")
                try await test.a.stop()
                try test.cloud.goOnline()
                let there = try await test.a.ubiquity(arguments)
                try test.a.adopt(there)
                #expect(there.errors.isEmpty, "\(there)")
            }
        }

        @Test(
            "where a cloud cannot be written to, sync --wait ends with the reason, without names of temporary files",
            .needsRoot)
        func reasons() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let a = test.a
                try await a.shell("echo one > one")
                try await a.sync()
                let cloud = test.cloud.directory
                try await a.shell("mount --bind \(cloud) \(cloud); mount -o remount,ro,bind \(cloud); echo two > two")
                let waited = try await a.ubiquity(["sync", "--wait", "--timeout", "4", a.mount])
                try await a.runner.run("umount", ["-l", cloud], in: "/").text()
                #expect(waited.status == 6 && waited.errors.contains("kept on this device only"), "\(waited)")
                let waits = waited.errors.split(separator: "\n").filter { $0.contains("waiting for the cloud") }
                #expect(waits.count <= 2, "\(waited)")
                #expect(Set(waits).count == waits.count && !waited.errors.contains("/temporary/"), "\(waited)")
            }
        }
    }
}
