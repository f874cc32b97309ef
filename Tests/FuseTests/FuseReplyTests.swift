import Glibc
import Testing

@Suite("FUSE replies that are late, missing or cancelled")
struct FuseReplyTests {
    @Test("A read that is answered from another task blocks no other request, even with one reader thread")
    func lateReply() async throws {
        try await FuseFixture.with(["--readers", "1"]) { mount async throws in
            let reading = try mount.start("exec cat held")
            #expect(try await mount.tell("await-read") == "ok")
            #expect(try await mount.shell("ls").output == "dropped\nheld\nstuck\n")
            #expect(try await mount.tell("release late") == "ok")
            #expect(try await reading.outcome().output.hasPrefix("late"))
        }
    }

    @Test("A request that its handler drops is answered EIO")
    func droppedRequest() async throws {
        try await FuseFixture.with { mount async throws in
            let outcome = try await mount.shell("cat dropped")
            #expect(outcome.output.contains("Input/output error"))
            #expect(try await mount.shell("ls -d .").status == 0)
        }
    }

    @Test("Ctrl-C ends a program that waits for a reply", arguments: [1, 4])
    func interrupt(readers: Int) async throws {
        try await FuseFixture.with(["--readers", "\(readers)"]) { mount async throws in
            let reading = try mount.start("exec env --default-signal=INT cat stuck")
            #expect(try await mount.tell("await-read") == "ok")
            kill(reading.process, SIGINT)
            #expect(try await reading.outcome().status == -SIGINT)
            #expect(try await mount.tell("count interrupt") != "0")
        }
    }

    @Test("The kernel caches attributes and data for an hour, until they are invalidated")
    func invalidation() async throws {
        try await FuseFixture.with(["--keep-cache"]) { mount async throws in
            #expect(try await mount.shell("printf one > f; cat f; stat f > /dev/null").output == "one")
            #expect(try await mount.tell("set f two2") == "ok")
            #expect(try await mount.shell("cat f; stat -c %s f").output == "one3\n")
            #expect(try await mount.tell("invalidate-inode f") == "ok")
            #expect(try await mount.shell("cat f; stat -c %s f").output == "two24\n")
        }
    }

    @Test("A name, or its absence, is cached until it is invalidated")
    func invalidatedNames() async throws {
        try await FuseFixture.with { mount async throws in
            #expect(try await mount.shell("touch old; stat -c . old; stat -c . new").output.hasPrefix(".\n"))
            #expect(try await mount.tell("rename old new") == "ok")
            #expect(try await mount.shell("stat -c . old && ! stat -c . new 2> /dev/null").status == 0)
            #expect(try await mount.tell("invalidate-entry old") == "ok")
            #expect(try await mount.tell("invalidate-entry new") == "ok")
            #expect(try await mount.shell("stat -c . new && ! stat -c . old 2> /dev/null").status == 0)
        }
    }

    @Test("Invalidating a deleted name removes it, and invalidating an unknown name is no error")
    func notifiedDeletion() async throws {
        try await FuseFixture.with { mount async throws in
            #expect(try await mount.shell("touch f; stat -c . f").output == ".\n")
            #expect(try await mount.tell("remove f") == "ok")
            #expect(try await mount.shell("stat f").output.contains("No such file"))
            #expect(try await mount.tell("invalidate-entry never") == "ok")
        }
    }
}
