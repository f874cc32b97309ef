import TestSupport
import Testing

extension EndToEnd {
    /// Programs that copy trees into the mount, out of it and within it.
    @Suite("Copies")
    struct CopyTests {
        /// A tree with the usual pitfalls of copying: odd names, links, modes, old times, empty and big files.
        private static let tree = """
            mkdir -p source/deep/er 'source/empty folder' && cd source
            printf 'text' > plain.txt; : > empty; head -c 3000000 /dev/zero | tr '\\0' 'z' > big
            seq 1 200000 > deep/numbers; echo run > deep/er/script; chmod 755 deep/er/script; chmod 400 plain.txt
            ln -s ../plain.txt deep/link; ln -s nowhere dangling; echo x > $'odd\\n name *'; echo y > 'naïve ✓'
            touch -d '1999-12-31 23:59:59.123456789' deep/numbers; touch -h -d '2001-01-01' deep/link
            touch -d '2000-02-29 12:00:00.5' deep/er 'empty folder'; touch -d '1985-10-26 01:21:00' deep; cd ..
            """

        /// Creates the tree beside the mounts, lets `script` copy `$SOURCE` to `copy` in A, and compares all three.
        private func expectFaithful(_ script: String) async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                let plain = try test.plain()
                try await test.a.runner.run("bash", ["-euo", "pipefail", "-c", Self.tree], in: plain).text()
                try await test.a.shell("SOURCE=\(plain)/source; \(script)")
                let unlike = try await test.a.differences("\(plain)/source", test.a.path("copy"))
                #expect(unlike.isEmpty, "the copy on A is not like its source")
                try await test.expectConverged()
                let distant = try await test.a.differences("\(plain)/source", test.b.path("copy"))
                #expect(distant.isEmpty, "what came to B is not like the source")
            }
        }

        @Test("cp -a copies faithfully into the mount")
        func copy() async throws { try await expectFaithful("cp -a $SOURCE copy") }

        @Test("cp -a copies faithfully inside the mount")
        func copyInside() async throws { try await expectFaithful("cp -a $SOURCE one && cp -a one copy && rm -r one") }

        @Test("tar extracts faithfully, compares and creates")
        func tar() async throws {
            try await expectFaithful(
                """
                tar -C $SOURCE --xattrs -cf archive.tar . && mkdir copy && tar -C copy --xattrs -xpf archive.tar
                tar -C copy --compare -f archive.tar && tar -C copy -cf again.tar . && tar -C $SOURCE -df again.tar
                rm archive.tar again.tar
                """)
        }

        @Test("rsync copies a tree into the mount, and has nothing to do the second time")
        func rsync() async throws {
            try await expectFaithful(
                "rsync -aX $SOURCE/ copy/ && test -z \"$(rsync -aniX --checksum --delete $SOURCE/ copy/)\"")
        }

        @Test("rsync copies a tree out of the mount faithfully")
        func rsyncBack() async throws {
            try await expectFaithful(
                """
                rsync -aX --inplace $SOURCE/ copy/ && rsync -aX copy/ $SOURCE.back/
                test -z "$(rsync -aniX --checksum --delete $SOURCE/ $SOURCE.back/)"
                """)
        }

        @Test("mv moves a tree into the mount and out of it")
        func move() async throws {
            try await expectFaithful(
                """
                cp -a $SOURCE $SOURCE.moving && mv $SOURCE.moving copy && test ! -e $SOURCE.moving
                cp -a copy out && mv out $SOURCE.out && test ! -e out
                test -z "$(rsync -aniX --checksum --delete $SOURCE/ $SOURCE.out/)"
                """)
        }

        @Test("renaming and moving folders inside the mount keeps all of their contents")
        func moveInside() async throws {
            try await expectFaithful("cp -a $SOURCE a && mkdir b && mv a b/c && mv b/c copy && rmdir b")
        }

        @Test("dd, truncate, split and cat write the same as on a disk")
        func writers() async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                try await test.expectSameEverywhere(
                    """
                    seq 1 100000 > numbers
                    dd if=numbers of=synced bs=1000 conv=fsync status=none
                    dd if=numbers of=patched bs=512 count=100 status=none
                    dd if=numbers of=patched bs=512 seek=37 skip=80 count=5 conv=notrunc,fdatasync status=none
                    truncate -s 1000 patched; truncate -s 10000 patched; truncate -s +77 patched
                    split -n 7 numbers part. ; cat part.* > joined; cmp numbers joined
                    cat numbers >> joined; shuf --random-source=numbers numbers > shuffled; sort -n -o shuffled shuffled
                    gzip -nk numbers; zcat numbers.gz | cmp - numbers
                    """)
            }
        }
    }
}
