import TestSupport
import Testing

extension EndToEnd {
    /// Requirements of file-system test suites and third-party programs on a mount.
    @Suite("Other programs and system tools")
    struct OutsideToolTests {
        /// Returns a Python script with system calls that Python has no function for.
        private static func python(_ code: String) -> String {
            """
            python3 - <<'EOF'
            ctypes, mmap, os = map(__import__, ["ctypes", "mmap", "os"])
            libc = ctypes.CDLL(None, use_errno=True)
            \(code)
            EOF
            """
        }

        @Test(
            "writes through a mapping show the new times at once when the file is closed, and while it is open"
        )
        func mappedTimes() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let said = try await test.a.shell(
                    Self.python(
                        """
                        for round in range(20):
                            name = f"f{round}"
                            with open(name, "wb") as file: file.write(b"x" * 8192)
                            os.utime(name, (1000000000, 1000000000))
                            before = os.stat(name)
                            file = os.open(name, os.O_RDWR)
                            os.stat(name)
                            memory = mmap.mmap(file, 8192)
                            memory[0:3] = b"new"
                            if round % 2: memory.flush()
                            memory.close()
                            os.close(file)
                            after = os.stat(name)
                            assert after.st_mtime > before.st_mtime + 1, (round, before, after)
                            assert after.st_ctime_ns > before.st_ctime_ns, (round, before, after)
                        print("done")
                        """))
                #expect(said == "done")
            }
        }

        @Test(
            "a file, a folder and a link are found by handle, also in a new mount that has never looked them up; removed ones are ESTALE",
            .needsRoot)
        func handles() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let plain = try test.plain()
                try await test.a.shell("mkdir -p d/e; echo text > d/e/f; ln -s f d/e/l; echo x > gone")
                let library = """
                    class Handle(ctypes.Structure):
                        _fields_ = [("size", ctypes.c_uint), ("type", ctypes.c_int), ("bytes", ctypes.c_char * 128)]
                    names = ["d/e/f", "d/e", "d/e/l", "gone"]
                    """
                try await test.a.shell(
                    Self.python(
                        library + """

                            for index, name in enumerate(names):
                                handle, mount = Handle(size=128), ctypes.c_int()
                                assert libc.name_to_handle_at(-100, name.encode(), ctypes.byref(handle), ctypes.byref(mount), 0) == 0
                                open(f"\(plain)/{index}", "wb").write(bytes(handle))
                            """))
                try await test.a.shell("rm gone")
                try await test.a.restart()
                let said = try await test.a.shell(
                    Self.python(
                        library + """

                            root = os.open(".", os.O_RDONLY)
                            for index, name in enumerate(names):
                                handle = Handle.from_buffer_copy(open(f"\(plain)/{index}", "rb").read())
                                flags = os.O_RDONLY if name == "d/e/f" else 0o10000000 | os.O_NOFOLLOW
                                file = libc.open_by_handle_at(root, ctypes.byref(handle), flags)
                                if name == "gone":
                                    assert file == -1 and ctypes.get_errno() == 116, ctypes.get_errno()
                                    continue
                                assert file >= 0, (name, os.strerror(ctypes.get_errno()))
                                assert os.fstat(file).st_ino == os.lstat(name).st_ino, name
                                if name == "d/e/f": print(os.read(file, 100))
                                if name == "d/e": print(os.readlink(f"/proc/self/fd/{file}").endswith("Documents/d/e"))
                            """))
                #expect(said == "b'text\\n'\nTrue")
            }
        }

        @Test(
            "commands accept paths below a bind mount of a mount, and unmounting the bind mount leaves the mount",
            .needsRoot)
        func bindMounts() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let (a, view) = (test.a, try test.plain("view"))
                try await a.shell("mkdir d; echo text > d/f")
                let ubiquity = "\(a.binaries)/ubiquity"
                let said = try await a.shell(
                    """
                    unshare -m --propagation private bash -euo pipefail -c '
                        mount --bind d \(view); cd /
                        \(ubiquity) sync --wait \(view)/f; \(ubiquity) evict \(view)/f; cat \(view)/f
                        \(ubiquity) status \(view)/f | grep -c f; \(ubiquity) status | grep -c "no daemon" || true
                        \(ubiquity) unmount \(view); mountpoint -q \(view) || echo gone'
                    """)
                #expect(said.contains("text\n"), "\(said)")
                #expect(said.hasSuffix("which stays mounted.\ngone"), "\(said)")
                #expect(try await a.shell("cat d/f") == "text")
            }
        }

        @Test("readers that are killed while they download leave no file of the daemon open")
        func endedReaders() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell("for i in $(seq 40); do head -c 6000000 /dev/urandom > big$i; done")
                try await a.sync()
                try await eventually("B lists them") { try await b.list().count == 40 }
                try await b.shell("for i in $(seq 40); do head -c 100 big$i > /dev/null & done; wait")
                try await b.shell("for i in $(seq 40); do timeout -s KILL 0.01 cat big$i > /dev/null || true; done")
                // Files created ahead for new blobs have no name.
                let count = """
                    for file in /proc/\(try #require(b.daemon.pid))/fd/*; do
                        case $(readlink "$file") in */content/*) stat -L -c %h "$file";; esac
                    done | grep -vc '^0$' || true
                    """
                try await eventually("no blob is open") {
                    try await b.shell(count) == "0"
                } describe: {
                    try await b.shell(count)
                }
            }
        }
    }
}
