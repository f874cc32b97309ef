import Foundation
import Glibc
import TestSupport
import Testing

@Suite("Requests that arrive by io_uring", .needsRoot, .needsRings)
struct FuseRingTests {
    private func withRings(
        _ arguments: [String] = [], _ body: (FuseFixture) async throws -> Void
    ) async throws {
        try await FuseFixture.with(arguments, overRings: true) { mount async throws in
            #expect(try await mount.tell("transport").hasPrefix("io_uring, "))
            try await body(mount)
        }
    }

    @Test("Files, folders, names and attributes work as they do over /dev/fuse")
    func operations() async throws {
        try await withRings { mount async throws in
            let outcome = try await mount.shell(
                """
                printf one > f && printf two >> f && cat f && truncate -s 4 f && stat -c ' %s' f
                cp ../native g && cmp g ../native && chmod 640 g
                mkdir d && cd d && seq 3000 | xargs touch && ls | wc -l && cd ..
                mv f d/1 && cat d/1 && ln -s d s && readlink s && stat -c %a g
                python3 -c 'import os; os.setxattr("g", "user.k", b"v"); print(os.listxattr("g"))'
                rm -r d; ls; mkfifo p; cat none
                """)
            let lines = outcome.output.split(separator: "\n")
            #expect(
                lines.prefix(6) == ["onetwo 4", "3000", "onetd", "640", "['user.k']", "dropped"], "\(outcome.output)")
            #expect(lines.contains { $0.contains("Function not implemented") })
            #expect(lines.last?.contains("No such file") == true)
        }
    }

    @Test("Passthrough works beside io_uring: reads and writes of a backed file cost no request")
    func passthrough() async throws {
        try await withRings(["--native", "SCRATCH/native"]) { mount async throws in
            let outcome = try await mount.shell(
                """
                cmp native ../native && printf new | dd of=native bs=3 seek=1000 conv=notrunc status=none &&
                cmp native ../native
                """)
            #expect(outcome.status == 0, "\(outcome.output)")
            #expect(try await mount.tell("count open") == "3")
            #expect(try await mount.tell("count read write") == "0")
        }
    }

    @Test("Late, dropped and interrupted replies reach their programs")
    func replies() async throws {
        try await withRings { mount async throws in
            let reading = try mount.start("exec cat held")
            let stuck = try mount.start("exec env --default-signal=INT cat stuck")
            #expect(try await mount.tell("await-reads 2") == "ok")
            #expect(try await mount.shell("cat dropped").output.contains("Input/output error"))
            kill(stuck.process, SIGINT)
            #expect(try await stuck.outcome().status == -SIGINT)
            #expect(try await mount.tell("release late") == "ok")
            #expect(try await reading.outcome().output.hasPrefix("late"))
        }
    }

    @Test("Invalidations reach the kernel")
    func invalidation() async throws {
        try await withRings(["--keep-cache"]) { mount async throws in
            #expect(try await mount.shell("printf one > f; cat f; stat f > /dev/null").output == "one")
            #expect(try await mount.tell("set f two2") == "ok")
            #expect(try await mount.tell("invalidate-inode f") == "ok")
            #expect(try await mount.shell("cat f; stat -c %s f").output == "two24\n")
            #expect(try await mount.tell("remove f") == "ok")
            #expect(try await mount.shell("stat f").output.contains("No such file"))
        }
    }

    /// Reads `stuck` in so many threads on the first processor, which sends all their requests to one queue, and prints
    /// their outcomes.
    private func readers(_ count: Int) -> String {
        """
        exec python3 -c 'import collections, os, threading
        os.sched_setaffinity(0, {0})
        ends = collections.Counter()
        def read():
            try: ends[os.read(os.open("stuck", os.O_RDONLY), 3).decode()] += 1
            except OSError as error: ends[os.strerror(error.errno)] += 1
        threads = [threading.Thread(target=read) for _ in range(\(count))]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        print(sorted(ends.items()))'
        """
    }

    @Test("While 300 programs wait for bytes on one processor, stat and ls on each processor return")
    func manyReaders() async throws {
        try await withRings { mount async throws in
            let reading = try mount.start(readers(300))
            #expect(try await mount.tell("await-reads 300") == "ok")
            let outcome = try await mount.shell(
                """
                for cpu in $(seq 0 $(($(nproc) - 1))); do
                    taskset -c $cpu sh -c "stat -c %F . && ls | wc -l && mkdir d$cpu" || exit
                done
                """)
            #expect(outcome.status == 0 && outcome.output.hasPrefix("directory\n3\n"), "\(outcome.output)")
            #expect(try await mount.tell("release end") == "ok")
            #expect(try await reading.outcome().output == "[('end', 300)]\n")
        }
    }

    @Test("Where all entries of a queue are in use by waits, the last ones fail with EAGAIN and other requests go on")
    func bound() async throws {
        // Eight entries for each processor.
        let processors = sysconf(Int32(_SC_NPROCESSORS_CONF))
        try await withRings(["--ring-entries", "\(8 * processors)"]) { mount async throws in
            let reading = try mount.start(readers(30))
            #expect(try await mount.tell("await-reads 8") == "ok")
            let outcome = try await mount.shell("taskset -c 0 sh -c 'stat -c %F . && ls && touch f && cat f'")
            #expect(outcome.output == "directory\ndropped\nheld\nstuck\n")
            #expect(try await mount.tell("release-all end") == "ok")
            let ends = try await reading.outcome().output.split(whereSeparator: { !$0.isNumber }).compactMap { Int($0) }
            #expect(ends.count == 2 && ends.reduce(0, +) == 30)
        }
    }

    @Test("The session ends when the mount is unmounted from outside, also while a read waits")
    func outsideUnmount() async throws {
        try await withRings { mount async throws in
            #expect(umount2(mount.mountPoint, 0) == 0)
            #expect(try await mount.tell("await-end") == "unmounted")
        }
        try await withRings { mount async throws in
            let reading = try mount.start("exec cat held")
            #expect(try await mount.tell("await-read") == "ok")
            #expect(try await mount.tell("unmount").contains("is in use"))
            #expect(try await mount.tell("unmount-lazily") == "ok")
            #expect(try await mount.tell("release end") == "ok")
            #expect(try await reading.outcome().output.hasPrefix("end"))
            #expect(try await mount.tell("await-end") == "unmounted")
        }
    }

    @Test("Stopping ends the session although a read is unanswered")
    func stop() async throws {
        try await withRings { mount async throws in
            let reading = try mount.start("exec cat held")
            #expect(try await mount.tell("await-read") == "ok")
            #expect(try await mount.tell("stop") == "ok")
            #expect(try await reading.outcome().status != 0)
            #expect(try await mount.tell("release late") == "ok")
        }
    }

    @Test("A killed process ends the waits of all programs, and the next mount works")
    func killed() async throws {
        try await withRings { mount async throws in
            let reading = try mount.start("exec cat held")
            #expect(try await mount.tell("await-read") == "ok")
            mount.kill()
            #expect(try await reading.outcome().status != 0)
            try await mount.restart()
            #expect(try await mount.tell("transport").hasPrefix("io_uring, "))
            #expect(try await mount.shell("ls").output == "dropped\nheld\nstuck\n")
        }
    }

    @Test("A mount of an ordinary user reads /dev/fuse and says why")
    func ordinaryUser() async throws {
        try await FuseFixture.with(asUser: true, overRings: true) { mount async throws in
            let transport = try await mount.tell("transport")
            #expect(transport.hasPrefix("/dev/fuse, because io_uring is used only by mounts of root"))
            #expect(try await mount.shell("printf x > f; cat f").output == "x")
        }
    }
}
