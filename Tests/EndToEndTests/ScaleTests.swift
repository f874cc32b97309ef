import TestSupport
import Testing

extension EndToEnd {
    @Suite("Scale")
    struct ScaleTests {
        @Test("a folder of 5,000 entries is created, listed, synced and removed")
        func bigFolder() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell(
                    "mkdir d; cd d; seq -f 'file %.0f' 1 5000 | xargs -d '\\n' touch", limit: .seconds(300))
                #expect(try await a.shell("ls -f d | wc -l") == "5002")
                try await a.sync(limit: .seconds(300))
                try await eventually("B lists all", within: .seconds(300)) { try await b.list("d").count == 5000 }
                #expect(
                    try await b.shell("find d -type f | sort | md5sum") == a.shell("find d -type f | sort | md5sum"))
                try await b.shell("rm -r d", limit: .seconds(300))
                try await b.sync(limit: .seconds(300))
                try await eventually("A has none", within: .seconds(300)) { try await a.list().isEmpty }
            }
        }

        /// 2,000 files in 50 folders, with a link and an odd mode in each, old times to the nanosecond, and a few larger files.
        private static let source = """
            mkdir tree && cd tree
            for d in $(seq 50); do
                mkdir $d; seq -f "$d/%.0f" 40 | while read f; do echo "$f of many" > $f; done
                ln -s 1 $d/link; chmod 4750 $d/2; touch -d "2001-02-03 04:05:06.00000000$((d % 10))" $d/*; touch -d '1999-01-01' $d
            done
            echo numbered > 4913; printf 'x' > $'odd\\xff\\nname'; setfattr -n user.note -v yes odd*
            for size in 100000 1000000 5000000; do head -c $size /dev/urandom > $size; done
            """

        /// Prints a listing, by path. Sizes of folders are omitted, because each file system defines them differently.
        private static let listing = """
            find tree -printf '%P %y %m %T@ %l\\0' | sort -z | md5sum; find tree -type f -printf '%P %s\\0' | sort -z | md5sum
            """

        @Test(
            "a copied tree of 2,000 files is listed on B before its bytes arrive, and is then identical"
        )
        func tree() async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                let plain = try test.plain()
                try await test.a.runner.run("bash", ["-euo", "pipefail", "-c", Self.source], in: plain).text()
                try await test.a.shell("cp -a \(plain)/tree tree", limit: .seconds(300))
                try await test.a.sync(limit: .seconds(300))
                let expected = try await test.a.runner.run("bash", ["-c", Self.listing], in: plain).text()
                try await eventually("B lists all", within: .seconds(60)) {
                    try await test.b.shell(Self.listing) == expected
                }
                #expect(try await test.b.status("tree/1/1").downloadingStatus == "notDownloaded")
                #expect(try await test.a.differences("\(plain)/tree", test.a.path("tree")).isEmpty)
                #expect(try await test.a.differences("\(plain)/tree", test.b.path("tree")).isEmpty)
            }
        }

        @Test("a large new file shows its name and size on B while A still uploads it, and cannot be read yet")
        func announcement() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell("head -c 600000000 /dev/urandom > film", limit: .seconds(60))
                try await eventually("B knows of it") { try await b.shell("stat -c %s film") == "600000000" }
                // The upload takes longer than the steps so far; the freeze stops it.
                a.freeze()
                defer { a.thaw() }
                let status = try await b.status("film")
                #expect(status.downloadingStatus == "notDownloaded" && !status.isUploaded)
                #expect(
                    try await b.shell("LC_ALL=C cat film 2>&1 >/dev/null || true").contains("temporarily unavailable"))
                a.thaw()
                try await a.sync(limit: .seconds(120))
                try await eventually("B can read it") { try await b.status("film").isUploaded }
                #expect(try await b.shell("md5sum < film", limit: .seconds(120)) == a.shell("md5sum < film"))
            }
        }
    }
}
