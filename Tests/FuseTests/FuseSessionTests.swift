import DaemonProtocol
import Foundation
import Fuse
import Glibc
import Testing

@Suite("Life cycle of a mount")
struct FuseSessionTests {
    @Test("The session ends when the mount is unmounted from outside")
    func outsideUnmount() async throws {
        try await FuseFixture.with { mount async throws in
            #expect(umount2(mount.mountPoint, 0) == 0)
            #expect(try await mount.tell("await-end") == "unmounted")
        }
    }

    @Test("A mount in use refuses to be unmounted; a lazy unmount hides it, and it lives until the last file is closed")
    func busy() async throws {
        try await FuseFixture.with(["--readers", "2"]) { mount async throws in
            let reading = try mount.start("exec cat held")
            #expect(try await mount.tell("await-read") == "ok")
            #expect(try await mount.tell("unmount").contains("is in use"))
            #expect(try await mount.tell("unmount-lazily") == "ok")
            #expect(try await mount.tell("release end") == "ok")
            #expect(try await reading.outcome().output.hasPrefix("end"))
            #expect(try await mount.tell("await-end") == "unmounted")
        }
    }

    @Test("Stopping ends the session although a read is unanswered, and the reading program gets an error")
    func stop() async throws {
        try await FuseFixture.with { mount async throws in
            let reading = try mount.start("exec cat held")
            #expect(try await mount.tell("await-read") == "ok")
            #expect(try await mount.tell("stop") == "ok")
            #expect(try await reading.outcome().status != 0)
        }
    }

    @Test("A mount whose process was killed is dead, and the next mount clears it")
    func deadMount() async throws {
        try await FuseFixture.with { mount async throws in
            mount.kill()
            #expect(access(mount.mountPoint, R_OK) == -1 && [ENOTCONN, ECONNABORTED].contains(errno))
            try await mount.restart()
            #expect(try await mount.shell("ls").output == "dropped\nheld\nstuck\n")
        }
    }

    @Test(
        "Programs get an error when the process that serves them is killed or crashes while it waits in the kernel for their folder",
        arguments: [false, true], [SIGKILL, SIGSEGV])
    func killedInvalidating(asUser: Bool, signal: Int32) async throws {
        // A crash aborts the connection itself.
        let options = signal == SIGKILL ? ["--watchdog"] : ["--crashes", "/dev/null"]
        try await FuseFixture.with(options, asUser: asUser) { mount async throws in
            try await expectEnd(of: mount) { mount.send(signal) }
        }
    }

    @Test("A command ends the wait for a process that was killed in the kernel, where its watchdog was killed too")
    func killedWithItsWatchdog() async throws {
        try await FuseFixture.with { mount async throws in
            let directory = mount.scratch + "/registry"
            let registry = MountRegistry(directories: [directory])
            let connection = UInt32(try await mount.tell("connection"))
            let record = MountRecord(
                mount: mount.mountPoint, pid: mount.process, state: "/s", socket: "/s/c", connection: connection)
            try registry.publish(record)
            #expect(registry.records() == [record])
            try await expectEnd(of: mount) {
                mount.send(SIGKILL)
                try await onThread {
                    // The kernel ends the other threads first.
                    while record.isRunning { usleep(1000) }
                    #expect(registry.records().isEmpty)
                    registry.endDying()
                }
            }
        }
    }

    /// Expects that programs waiting for the serving process, directly or through the kernel, continue after `kill`.
    private func expectEnd(of mount: FuseFixture, kill: () async throws -> Void) async throws {
        let program = try mount.start("exec mkdir unanswered")
        #expect(try await mount.tell("await-read") == "ok")
        #expect(try await mount.tell("invalidate-apart other") == "ok")
        let served = mount.process
        try await kill()
        let outcome = try await program.outcome(within: 10)
        #expect(outcome.status > 0, "\(outcome.output)")
        // The runtime's own handler may survive a sent signal. A zombie has a single thread, its leader.
        mount.send(SIGKILL)
        while let threads = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(served)/task"),
            threads.count > 1
        {
            try await Task.sleep(for: .milliseconds(10))
        }
        try await mount.restart()
        #expect(try await mount.shell("mkdir other && ls").output == "dropped\nheld\nother\nstuck\n")
    }

    @Test("The error for a mount point that is missing, not a folder or in use names it and says what to do")
    func refusals() async throws {
        try await FuseFixture.with { mount async throws in
            await expectRefusal(mount, "SCRATCH/none", "Create the folder first")
            await expectRefusal(mount, "SCRATCH/native", "is not a folder")
            await expectRefusal(mount, "SCRATCH/mount", "Unmount it first")
        }
    }

    private func expectRefusal(_ mount: FuseFixture, _ path: String, _ text: String) async {
        do {
            let place = path.replacing("SCRATCH", with: mount.scratch)
            let outcome = try await mount.shell("\(FuseChild.program()) \(place)")
            #expect(outcome.status == 1)
            #expect(outcome.output.contains(text), "\(outcome.output)")
        } catch {
            Issue.record(error)
        }
    }

    @Test(
        "A crash on any thread logs the request that caused it, and the process still ends by its signal"
    )
    func crash() async throws {
        try await FuseFixture.with(["--crashes", "SCRATCH/errors", "--readers", "3"]) { mount async throws in
            #expect(try await mount.shell("stat trap").status != 0)
            let text = try String(contentsOfFile: mount.scratch + "/errors", encoding: .utf8)
            // LOOKUP is 1, and so is the root node; the arguments are "trap" in hexadecimal.
            let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("crashed by signal ") }, "\(text)")
            #expect(line.contains("operation 1, node 1, user \(geteuid()), "), "\(line)")
            #expect(line.contains(", arguments 7472617000"), "\(line)")
        }
    }

    @Test("Repeated crashes are followed by longer and longer pauses, five minutes at most")
    func pauses() {
        let pauses = [-1, 0, 1, 2, 3, 9, 10, 9_999, .max].map { CrashGuard.pause(before: $0) }
        #expect(pauses == [0, 0, 1, 2, 4, 256, 300, 300, 300].map { Duration.seconds($0) })
    }

    @Test("An ordinary user mounts through fusermount3, uses the mount, and unmounts it")
    func ordinaryUser() async throws {
        try await FuseFixture.with(["--native", "SCRATCH/native"], asUser: true) { mount async throws in
            let outcome = try await mount.shell("id -u; printf x > f; cat f; cmp native ../native && echo same")
            #expect(outcome.output == (geteuid() == 0 ? "65534" : "\(geteuid())") + "\nxsame\n")
            #expect(try await mount.tell("count read") != "0")
            #expect(try await mount.tell("unmount") == "ok")
            #expect(try await mount.shell("ls").output == "")
        }
    }

    @Test("An ordinary user's mount in use refuses to be unmounted, and is unmounted when it is stopped")
    func ordinaryUserStops() async throws {
        try await FuseFixture.with(asUser: true) { mount async throws in
            let reading = try mount.start("exec cat held")
            #expect(try await mount.tell("await-read") == "ok")
            #expect(try await mount.tell("unmount").contains("is in use"))
            #expect(try await mount.tell("stop") == "ok")
            #expect(try await reading.outcome().status != 0)
        }
    }
}
