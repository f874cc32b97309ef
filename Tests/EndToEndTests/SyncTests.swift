import TestSupport
import Testing

extension EndToEnd {
    @Suite("Sync")
    struct SyncTests {
        @Test("a change on one device appears on the other without a command")
        func arrives() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell("echo one > f")
                try await eventually("B shows the new file", within: .seconds(30)) {
                    try await b.contents("f") == "one"
                }
                try await b.shell("echo two > f; mkdir d; echo new > d/g")
                try await eventually("A shows B's changes", within: .seconds(30)) {
                    try await a.holds(["f": "two", "d/g": "new"])
                }
                try await a.shell("rm f; mv d e")
                try await eventually("B shows the removal and the move", within: .seconds(30)) {
                    try await b.list() == ["e"]
                }
            }
        }

        @Test("names, sizes, times, modes and links are on B before any content")
        func metadataFirst() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell(
                    """
                    mkdir -p d/e; seq 1 50000 > d/numbers; echo x > d/e/f; ln -s numbers d/link; chmod 640 d/numbers; chmod 750 d/e
                    touch -d '2001-02-03 04:05:06.789' d/numbers; touch -d '2002-01-01' d/e; touch -d '2003-01-01' d
                    """)
                try await a.sync()
                let list = "find d -printf '%p %y %m %s %T+ %l %b\\n' | sed 's/ [0-9]*$//' | sort"
                // The size of a folder is omitted, because each file system defines it differently.
                let withoutFolders = "\(list) | sed -E 's/^(\\S+ d [0-9]+) [0-9]+/\\1/'"
                let expected = try await a.shell(withoutFolders)
                try await eventually("B lists what A lists") {
                    try await b.shell(withoutFolders) == expected
                }
                #expect(try await b.status("d/numbers").downloadingStatus == "notDownloaded")
                #expect(try await b.shell("test $(stat -c %b d/numbers) -gt 0; stat -c %s d/numbers") == "288894")
                #expect(try await b.shell("cmp <(seq 1 50000) d/numbers; echo same") == "same")
                // A reader gets the last bytes before the row says that all are local.
                try await eventually("B says that the content is here") {
                    try await b.status("d/numbers").downloadingStatus == "current"
                }
            }
        }

        @Test("a moved folder with a thousand files is one change, and no content is uploaded again")
        func moveFolder() async throws {
            try await TestDevices.withTwo { cloud, a, b in
                try await a.shell("mkdir old target; cd old; for i in $(seq 1 1000); do echo file $i > $i; done")
                try await a.sync()
                let before = try cloud.contents()
                try await a.shell("mv old target/new")
                try await a.sync()
                let after = try cloud.contents()
                #expect(after.chunks == before.chunks && after.chunkBytes == before.chunkBytes)
                #expect(after.logEntries - before.logEntries == 1)
                try await eventually("B has the folder at its new place") {
                    try await b.paths() == a.paths()
                }
                #expect(try await b.contents("target/new/567") == "file 567")
            }
        }

        @Test("1 MiB changed in the middle of a big file uploads at most 4 MiB")
        func delta() async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                try await test.a.shell("head -c 268435456 /dev/urandom > big")
                try await test.a.sync(limit: .seconds(300))
                let before = try test.cloud.contents()
                #expect(before.chunkBytes >= 268_435_456)
                try await test.a.shell(
                    "head -c 1048576 /dev/urandom | dd of=big bs=65536 seek=1777 conv=notrunc iflag=fullblock status=none"
                )
                try await test.a.sync(limit: .seconds(300))
                let grown = try test.cloud.contents().chunkBytes - before.chunkBytes
                #expect((1 << 20)...(4 << 20) ~= grown, "\(grown) bytes were uploaded")
                try await test.expectConverged()
            }
        }

        @Test("a downloaded file is updated to later versions automatically, a placeholder is not")
        func follows() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell("echo 1 > followed; echo 1 > placeholder")
                try await a.sync()
                try await eventually("B has read one of them") { try await b.contents("followed") == "1" }
                let inode = try await b.shell("stat -c %i followed")
                try await a.shell("echo second > followed; echo second > placeholder")
                try await a.sync()
                try await eventually("the downloaded one is current again without being opened") {
                    let status = try await b.status("followed")
                    return status.downloadingStatus == "current" && status.size == 7
                }
                let status = try await b.status("placeholder")
                #expect(status.size == 7)
                #expect(status.downloadingStatus == "notDownloaded")
                #expect(try await b.contents("followed") == "second")
                #expect(try await b.shell("stat -c %i followed") == inode)
            }
        }

        @Test("temporary and lock files of programs stay on their device")
        func localNames() async throws {
            try await TestDevices.withTwo { _, a, b in
                let names = [
                    ".doc.txt.swp", "doc.txt~", ".~lock.doc.odt#", "~$doc.docx", ".#doc.txt", "part.tmp", "#doc.txt#",
                ]
                for name in names { try await a.shell("echo local > '\(name)'") }
                try await a.shell("echo shared > doc.txt")
                for name in names { #expect(try await a.status(name).isExcludedFromSync, "\(name) would be uploaded") }
                try await a.sync()
                try await eventually("B has the document") { try await b.list().contains("doc.txt") }
                #expect(try await b.list() == ["doc.txt"])
            }
        }

        @Test("an open handle sees one version until it is closed")
        func openHandle() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell("printf old-version > f")
                try await a.sync()
                try await eventually("B has it") { try await b.contents("f") == "old-version" }
                async let reading = b.shell(
                    "exec 3< f; touch ready; until test -e go; do read -t 0.1 < <(:) || true; done; cat <&3")
                try await eventually("the reader has it open") { try await b.list().contains("ready") }
                try await a.shell("printf new-version-longer > f")
                try await a.sync()
                try await eventually("later opens see the new version") {
                    try await b.contents("f") == "new-version-longer"
                }
                try await b.shell("touch go")
                #expect(try await reading == "old-version")
            }
        }

        @Test("a device that joins later, and one that was offline, receive everything")
        func joins() async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                try await test.b.stop()
                try await test.a.shell(
                    "mkdir d; for i in $(seq 1 100); do echo $i > d/$i; done; rm d/50; mv d/51 d/moved")
                try await test.a.sync()
                try await test.b.start()
                try await test.expectConverged()
                #expect(try await test.b.list("d").count == 99)
            }
        }

        @Test("a container made on one device appears on the other with its Documents")
        func containers() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.runner.run("mkdir", ["\(a.mount)/com~example~notes"], in: "/").text()
                try await a.runner.run("sh", ["-c", "echo x > com~example~notes/Documents/f"], in: a.mount).text()
                try await eventually("B has the container and its document") {
                    try await b.runner.run("cat", ["\(b.mount)/com~example~notes/Documents/f"], in: "/").output == "x\n"
                }
            }
        }

        @Test("idle daemons use no processor time")
        func idle() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell("seq 1 1000 | split -l 10 - part.")
                try await a.sync()
                try await eventually("B has all") { try await b.list().count == 100 }
                try await eventually("both rest") {
                    let before = try [a.processorTime(), b.processorTime()]
                    try await Task.sleep(for: .seconds(2))
                    let after = try [a.processorTime(), b.processorTime()]
                    return zip(before, after).allSatisfy { $1 - $0 < .milliseconds(200) }
                }
            }
        }
    }
}
