import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    /// The freedesktop trash at the top of a mount (specifications.freedesktop.org/trash-spec).
    @Suite("Trash")
    struct TrashTests {
        /// Shell functions that move a document to the trash and restore it as a file manager does.
        private static let steps = """
            top=$(cd ../..; pwd); trash="$top/.Trash-$(id -u)"
            discard() {
                [ -d "$trash" ] || mkdir -m 700 "$trash"
                mkdir -p "$trash/info" "$trash/files"
                printf '[Trash Info]\\nPath=CloudDocs/Documents/%s\\nDeletionDate=2026-11-22T12:00:00\\n' "$1" > "$trash/info/$1.trashinfo"
                python3 -c 'import os, sys; os.rename(*sys.argv[1:])' "$1" "$trash/files/$1"
            }
            bring() {
                python3 -c 'import os, sys; os.rename(*sys.argv[1:])' "$trash/files/$1" "$2"; rm "$trash/info/$1.trashinfo"
            }

            """

        @Test(
            "a document that is moved to the trash is deleted elsewhere, stays in the trash here, and is the same document when it is moved back"
        )
        func trash() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell("echo one > doc; mkdir d; echo in > d/f; ln -s f d/link")
                try await a.sync()
                let id = try #require(try await a.attribute("itemID", of: "doc"))
                try await eventually("B has both") { try await b.list() == ["d", "doc"] }
                try await a.shell(
                    Self.steps + "discard doc; discard d; cat \"$trash/files/doc\" \"$trash/files/d/link\"")
                try await eventually("both are gone on B") { try await b.list() == [] }
                #expect(try await a.shell("ls -A ../..") == ".Trash-\(getuid())\nCloudDocs")
                #expect(try await b.shell("ls -A ../..") == "CloudDocs")
                try await a.sync()
                try await a.shell(Self.steps + "bring doc doc; bring d d")
                #expect(try await a.attribute("itemID", of: "doc") == id)
                try await eventually("B has both again") { try await b.tryShell("cat doc d/f").output == "one\nin\n" }
                #expect(try await b.ubiquity(["deleted", b.mount]).text().contains("Nothing was deleted"))
                #expect(try await a.ubiquity(["check", a.mount]).text().contains("0 problems"))
            }
        }

        @Test(
            "a placeholder in the trash is downloaded, also in whole folders; deleting it from the trash frees its bytes"
        )
        func placeholders() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell(
                    "mkdir d; for i in $(seq 20); do head -c 100000 /dev/urandom > d/$i; done; cat d/* | sha256sum > sum"
                )
                try await a.sync()
                try await eventually("B has it") { try await b.list("d").count == 20 }
                try await b.shell(Self.steps + "discard d; cat \"$trash\"/files/d/* | sha256sum | cmp - sum")
                try await eventually("A lacks it") { try await a.list() == ["sum"] }
                try await b.shell(Self.steps + "rm -r \"$trash\"")
                try await eventually("its bytes are gone") {
                    try await b.shell("find '\(b.state)/content' -type f -size +50k | wc -l") == "0"
                }
            }
        }

        @Test("documents of every container are moved to the one trash, and from it into another container")
        func containers() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell("mkdir ../../Work; echo w > ../../Work/Documents/w")
                try await a.sync()
                try await eventually("B has it") { try await b.tryShell("cat ../../Work/Documents/w").output == "w\n" }
                try await a.shell(
                    Self.steps + "cd ../../Work/Documents; discard w; cd ../../CloudDocs/Documents; bring w w; cat w")
                try await eventually("B sees it there") { try await b.tryShell("cat w").output == "w\n" }
                #expect(try await b.shell("ls ../../Work/Documents") == "")
            }
        }

        @Test(
            "gio moves a document to the trash of the mount, and records its former path",
            .enabled(if: access("/usr/bin/gio", X_OK) == 0))
        func gio() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let a = test.a
                try await a.shell("echo text > doc")
                try await a.sync()
                try await a.shell("gio trash doc")
                #expect(try await a.list() == [])
                #expect(try await a.shell("cat ../../.Trash-$(id -u)/files/doc") == "text")
                #expect(
                    try await a.shell("cat ../../.Trash-$(id -u)/info/doc.trashinfo").contains(
                        "Path=CloudDocs/Documents/doc"))
            }
        }
    }
}
