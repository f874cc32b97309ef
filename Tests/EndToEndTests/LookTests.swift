import TestSupport
import Testing

extension EndToEnd {
    /// Looks at the first bytes of documents without an extension, by which file managers choose icons.
    @Suite("Looks at the types of documents")
    struct LookTests {
        /// Reads as GLib does to guess a type; prints the number of bytes and their digest.
        private static let program = """
            from gi.repository import Gio; import hashlib, os, sys
            for path in sys.argv[2:]:
                file = os.open(path, os.O_RDONLY | os.O_NOATIME)
                head = os.read(file, 4096)
                rest = b""
                while sys.argv[1] == "whole" and (more := os.read(file, 100_000)):
                    rest += more
                print(len(head), hashlib.sha256(head + rest).hexdigest())
            """

        private static func look(_ device: TestDevice, _ name: String, _ what: String = "head") async throws -> String {
            try await device.run("/usr/bin/python3", "-c", program, what, device.path(name)).text()
        }

        private static func digest(_ device: TestDevice, _ name: String, _ count: String = "-0") async throws -> String
        {
            try await device.shell("head -c \(count) '\(name)' | sha256sum | cut -c1-64")
        }

        @Test("a look returns the document's first bytes without a download, also offline; who reads on gets all of it")
        func looks() async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                let (a, b) = (test.a, test.b)
                try await a.shell("for name in note1 note2 note3 n.txt; do head -c 300K /dev/urandom > $name; done")
                try await a.sync()
                try await eventually("B lists what A has") { try await b.paths() == a.paths() }
                for name in ["note1", "note2", "note3"] {
                    #expect(try await Self.look(b, name) == "512 \(Self.digest(a, name, "512"))")
                }
                #expect(try await b.shell("getfattr -d -m - note1 | wc -l") == "0", "the attribute is not shown")
                let figures = try await b.ubiquity(["downloads", "--by-program", "--json", "--mount", b.mount]).text()
                #expect(!figures.contains("python3"), "nothing was downloaded: \(figures)")

                try test.cloud.goOffline()
                try await eventually("B knows that it is offline") {
                    try await b.tryShell("cat note1").errors.contains("Network is unreachable")
                }
                #expect(try await Self.look(b, "note1") == "512 \(Self.digest(a, "note1", "512"))")
                try test.cloud.goOnline()
                try await eventually("B is online") {
                    try await b.tryShell("cat n.txt | wc -c").output.contains("307200")
                }

                #expect(try await Self.look(b, "note1", "whole") == "512 \(Self.digest(a, "note1"))")
                #expect(try await Self.digest(b, "note2") == Self.digest(a, "note2"))
                // It is local now: no read is short.
                #expect(try await Self.look(b, "note2") == "4096 \(Self.digest(a, "note2", "4096"))")
            }
        }

        @Test("tar, which opens with O_NOATIME too and takes a short read for the end, archives every byte")
        func archives() async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                let (a, b) = (test.a, test.b)
                try await a.shell("mkdir d; for n in {1..9}; do head -c $((n * 16500)) /dev/urandom > d/note$n; done")
                try await a.sync()
                try await eventually("B lists what A has") { try await b.paths() == a.paths() }
                try await b.shell("tar --atime-preserve=system -cf d.tar d; mkdir out; tar -C out -xf d.tar")
                let sums = "find . -type f -exec sha256sum {} + | sort"
                #expect(try await b.shell("cd out/d; \(sums)") == a.shell("cd d; \(sums)"))
            }
        }

        @Test("after an edit the first bytes are those of the new content, and two edits at once lose nothing")
        func edits() async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                let (a, b) = (test.a, test.b)
                try await a.shell("printf 'one\\n%.0s' {1..10000} > note")
                try await test.expectConverged()
                try await b.evict("note")
                try await a.shell("printf 'two\\n%.0s' {1..12500} > note")
                try await a.sync()
                try await eventually("B has the new size") { try await b.shell("stat -c %s note") == "50000" }
                #expect(try await Self.look(b, "note") == "512 \(Self.digest(a, "note", "512"))")
                try await a.shell("setfattr -n user.tag -v red note; mv note letter")
                try await test.expectConverged()
                #expect(try await b.shell("getfattr --only-values -n user.tag letter") == "red")
                #expect(try await Self.digest(b, "letter") == Self.digest(a, "letter"))
            }
        }
    }
}
