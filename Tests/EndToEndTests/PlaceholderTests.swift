import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Unaware programs, on documents with bytes only in the cloud: they give the same results as on a disk.
    @Suite("Programs on placeholders")
    struct PlaceholderTests {
        /// Creates the programs' input files.
        private static let inputs = """
            seq 1 30000 > numbers; printf 'one\\nold\\n' > doc.txt; mkdir d; head -c 300000 /dev/zero | tr '\\0' z > d/long
            for i in {1..20}; do echo "line $i" > d/$i; done; chmod 755 d/1; ln -s ../doc.txt d/link
            """

        /// Creates the inputs on A, runs `script` on B, which has none of their bytes, and beside the mounts; all
        /// results must be the same.
        private func expectAsOnDisk(
            _ script: String, inputs: String = PlaceholderTests.inputs, local: [String] = [], varying: [String] = []
        ) async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                let (a, b) = (test.a, test.b)
                let plain = try test.plain()
                try await a.runner.run("bash", ["-euo", "pipefail", "-c", inputs], in: plain).text()
                try await a.shell(inputs)
                try await a.sync()
                try await eventually("B lists what A has") { try await b.paths() == a.paths() }
                let statuses = try await b.shell(
                    "find . -type f -size +0 -exec getfattr --only-values -n user.ubiquity.status {} +")
                #expect(!statuses.contains("current"), "nothing of it is here yet")
                try await a.runner.run("bash", ["-euo", "pipefail", "-c", script], in: plain).text()
                try await b.shell(script)
                let unlike = try await b.differences(plain, b.documents, times: false, excluding: local + varying)
                #expect(unlike.isEmpty, "the plain directory and B differ")
                try await b.sync()
                try await eventually("A has what B made of it") {
                    try await a.differences(b.documents, a.documents, times: false, excluding: local).isEmpty
                }
            }
        }

        @Test(
            "an edit by this program has the same result as on a disk",
            arguments: [
                "sed -i s/old/new/ doc.txt", "perl -pi -e 's/old/new/' doc.txt", "sort -rn -o numbers numbers",
                "vim -Nu NONE -es -c '%s/old/new/' -c 'wq' doc.txt", "echo more >> doc.txt", "truncate -s 5 doc.txt",
                "dd if=doc.txt of=numbers bs=4 seek=100 conv=notrunc,fsync status=none",
                "fallocate -l 400000 d/long", "fallocate -z -o 8192 -l 4096 d/long",
                "fallocate -p -o 8192 -l 4096 d/long",
                "python3 -c 'import os; f = os.open(\"d/long\", os.O_RDWR); os.copy_file_range(os.open(\"numbers\", 0), f, 5000, 0, 7000)'",
                "shuf -n 0 d/1; : > numbers",
                "emacs -Q --batch doc.txt --eval '(progn (goto-char 1) (search-forward \"old\") (replace-match \"new\") (save-buffer))'",
            ])
        func edits(script: String) async throws { try await expectAsOnDisk(script, local: EditorTests.leftovers) }

        @Test(
            "this program reads, copies or moves them as on a disk",
            arguments: [
                "cp -a d copy", "cp --sparse=always d/long copy", "mv d e; cat e/* > all",
                "grep -rc line d | sort > found",
                "rsync -aX --checksum d/ copy/", "gzip -n numbers",
                "split -n 3 numbers part.; cat part.* | cmp - numbers",
                "wc -l numbers d/* | sort > counted", "md5sum numbers doc.txt d/long > sums",
                "install -m 600 doc.txt copy",
                "diff -r d d > none; cmp d/1 d/1", "ln -s numbers link; head -3 link > three",
                "find d -type f -exec cat {} + | wc -c > size",
            ])
        func reads(script: String) async throws { try await expectAsOnDisk(script) }

        @Test("GNU tar archives placeholders")
        func tar() async throws {
            try await expectAsOnDisk(
                "tar -cf d.tar d numbers; mkdir out; tar -C out -xf d.tar; diff -r --no-dereference d out/d; cmp numbers out/numbers",
                varying: ["d.tar"])
        }

        @Test("a look at a document's head or end does not download it; a program that reads on gets all of it")
        func looks() async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                let (a, b) = (test.a, test.b)
                try await a.shell("head -c 24M /dev/urandom > video")
                try await a.sync()
                try await eventually("B lists what A has") { try await b.paths() == a.paths() }
                let before = try await allocated(b)
                try await b.shell(
                    "head -c 100 video > /dev/null; head -c 4000 video | tail -c 9; tail -c 100 video > /dev/null")
                let looked = try await allocated(b) - before
                #expect(looked < 6 << 20, "a look costs a chunk or two, not \(looked) bytes")
                #expect(try await b.attribute("status", of: "video") == "notDownloaded")

                let reader = try #require(FileHandle(forReadingAtPath: "\(b.documents)/video"))
                #expect(try reader.read(upToCount: 1 << 20)?.count == 1 << 20)
                try await eventually("the rest is fetched while the document is open") {
                    try await b.attribute("status", of: "video") == "current"
                }
                try reader.close()
                try await b.shell("cmp video \(a.documents)/video")
            }
        }

        /// The disk space of a device's files.
        private func allocated(_ device: TestDevice) async throws -> Int {
            let text = try await device.shell("du -s -B1 '\(device.state)' | cut -f1")
            return try #require(Int(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        }

        @Test("git reads its repository complete, commits and clones")
        func git() async throws {
            try await expectAsOnDisk(
                """
                cd r; git status --porcelain; echo new > 3; git add .; git commit -qm second; git fsck --strict; git gc -q; cd ..
                git clone -q r clone; test "$(git -C clone log --oneline | wc -l)" = 2; rm -rf clone
                """,
                inputs: "git init -q r; cd r; for i in {1..30}; do echo $i > $i; done; git add .; git commit -qm first",
                varying: [".git"])
        }

        @Test("sqlite3 opens a database and changes it", arguments: ["delete", "wal"])
        func sqlite(mode: String) async throws {
            try await expectAsOnDisk(
                """
                sqlite3 n.db "BEGIN; DELETE FROM n WHERE i % 2 = 0; INSERT INTO n VALUES (1000000); COMMIT"
                test "$(sqlite3 n.db 'PRAGMA integrity_check')" = ok; sqlite3 n.db 'SELECT count(*), sum(i) FROM n' > count
                """,
                inputs: """
                    sqlite3 n.db 'PRAGMA journal_mode=\(mode); CREATE TABLE n (i); WITH RECURSIVE c(i) AS
                    (SELECT 1 UNION ALL SELECT i + 1 FROM c LIMIT 20000) INSERT INTO n SELECT i FROM c' > /dev/null
                    """, varying: ["n.db*"])
        }

        @Test(
            "a program that opens with O_NONBLOCK reads a placeholder as on a disk",
            arguments: [
                "dd if=numbers iflag=nonblock of=copy status=none", "zcat packed.gz > copy", "gzip -d packed.gz",
                "gzip -t packed.gz; gzip -l packed.gz > listed", "zgrep -c 7 packed.gz > found",
                "xz -dk packed.xz; cmp packed numbers",
                "xzcat packed.xz > copy", "file numbers d/long > kinds",
            ])
        func nonblocking(script: String) async throws {
            try await expectAsOnDisk(
                script, inputs: Self.inputs + "; gzip -nc numbers > packed.gz; xz -c numbers > packed.xz")
        }
    }
}
