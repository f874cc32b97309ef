import TestSupport
import Testing

@Suite("Backing files that the kernel reads and writes itself")
struct FusePassthroughTests {
    @Test("Reads, writes and maps of a backed file cost no request", .needsRoot)
    func passthrough() async throws {
        try await FuseFixture.with(["--native", "SCRATCH/native"]) { mount async throws in
            #expect(try await mount.tell("offers-passthrough") == "true")
            let outcome = try await mount.shell(
                """
                cmp native ../native && printf new | dd of=native bs=3 seek=1000 conv=notrunc status=none && \
                cmp native ../native && dd if=../native bs=3 skip=1000 count=1 status=none && \
                python3 -c 'import mmap; f = open("native", "r+b"); m = mmap.mmap(f.fileno(), 0); m[0:2] = b"mm"; m.flush()' \
                && head -c 2 ../native
                """)
            #expect(outcome.output == "newmm")
            #expect(try await mount.tell("count open") == "4")
            #expect(try await mount.tell("count read write") == "0")
        }
    }

    @Test("Without the privilege the same file is served by requests")
    func unprivileged() async throws {
        try await FuseFixture.with(["--native", "SCRATCH/native"], asUser: true) { mount async throws in
            let outcome = try await mount.shell(
                "printf new | dd of=native bs=3 seek=1000 conv=notrunc status=none && cmp native ../native && echo same"
            )
            #expect(outcome.output == "same\n")
            #expect(try await mount.tell("count write") == "1")
        }
    }

    @Test("A write by another user clears the set-user-ID bit", .needsRoot)
    func setUserID() async throws {
        try await FuseFixture.with { mount async throws in
            let write = "for i in 1 2 3 4 5 6 7 8; do printf y >> f; done"
            let outcome = try await mount.shell(
                """
                printf x > f; chmod 4777 f; stat -c %a f; \
                setpriv --reuid=65534 --regid=65534 --clear-groups sh -c '\(write)'; cat f
                """)
            #expect(outcome.output == "4777\nxyyyyyyyy")
            // The kernel does not request the mode after a write, so it has to be invalidated.
            #expect(try await mount.tell("invalidate-inode f") == "ok")
            #expect(try await mount.shell("stat -c %a f").output == "777\n")
            // The kernel requests `security.capability` once after each refresh of the attributes; without the agreement it would do so
            // before each write.
            #expect(try await mount.shell(write).status == 0)
            let before = try await mount.tell("count getxattr")
            #expect(try await mount.shell(write).status == 0)
            #expect(try await mount.tell("count getxattr") == before)
        }
    }
}
