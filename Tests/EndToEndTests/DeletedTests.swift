import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Deleted items are listed on every device and can be restored.
    @Suite("Deleted items")
    struct DeletedTests {
        private struct Entry: Decodable {
            let itemID: String
            let path: String
            let kind: String
            let deleted: String
            let device: String
            let size: Int?
            let items: Int?
        }

        private func deleted(_ device: TestDevice, _ path: String? = nil) async throws -> [Entry] {
            struct Answer: Decodable { let items: [Entry] }
            let text = try await device.ubiquity(["deleted", "--json", path ?? device.mount]).text()
            return try JSONDecoder().decode(Answer.self, from: Data(text.utf8)).items
        }

        private func restore(_ device: TestDevice, _ path: String, _ more: String...) async throws -> String {
            try await device.ubiquity(["restore", path] + more).text()
        }

        /// A folder with everything a folder can contain.
        private static let album = """
            mkdir -p photos/2024/empty; for i in $(seq 1 40); do echo "picture $i" > "photos/2024/IMG_$i.JPG"; done
            chmod 640 photos/2024/IMG_1.JPG; touch -d '2001-02-03 04:05:06 UTC' photos/2024/IMG_1.JPG
            setfattr -n user.tag -v holiday photos/2024/IMG_1.JPG; ln -s 2024/IMG_2.JPG photos/best; chmod 750 photos
            """
        private static let look = """
            (cd photos; find . -printf '%y %m %l %p\\n' | sort; cat 2024/*.JPG | sha256sum
            stat -c '%a %Y' 2024/IMG_1.JPG; getfattr --only-values -n user.tag 2024/IMG_1.JPG)
            """

        @Test(
            "a folder that was removed with its contents is one line of the list on every device, and is restored complete on all"
        )
        func folder() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell(Self.album)
                let before = try await a.shell(Self.look)
                try await a.sync()
                try await eventually("B has it") { try await b.list() == ["photos"] }
                try await b.shell("rm -r photos")
                try await b.sync()
                try await eventually("it is gone on A") { try await a.list() == [] }
                let listed = try await deleted(a)
                #expect(listed.map(\.path) == ["CloudDocs/Documents/photos"])
                #expect(listed.first?.kind == "folder" && listed.first?.device == "B" && listed.first?.items == 43)
                let noName = a.path(String(repeating: "n", count: 256))
                #expect(try await deleted(a, noName).isEmpty, "nothing was deleted below what no item can be called")
                let said = try await restore(a, a.path("photos"))
                #expect(said.contains(" and 43 items in it."), "\(said)")
                #expect(try await a.shell(Self.look) == before)
                #expect(try await deleted(a).isEmpty)
                try await a.sync()
                try await eventually("B has it again") { try await b.tryShell(Self.look).output.contains("IMG_40") }
                #expect(try await b.shell(Self.look) == before)
                #expect(try await a.ubiquity(["conflicts", a.mount]).text() == "No conflicts.")
                #expect(try await a.ubiquity(["check", a.mount]).text().contains("0 problems"))
            }
        }

        @Test(
            "the versions of a document can be listed and copied although its folder is deleted, and although another has the folder's name"
        )
        func versionsOfGoneFolder() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let a = test.a
                try await a.shell("mkdir d; echo one > d/f")
                try await a.sync()
                try await a.shell("echo two > d/f")
                try await a.sync()
                try await a.shell("rm -r d")
                try await a.sync()
                for makesAnother in [false, true] {
                    if makesAnother { try await a.shell("mkdir -p d") }
                    let versions = try await a.ubiquity(["versions", a.path("d/f")]).text()
                    #expect(versions.contains("The document is deleted."), "\(versions)")
                }
                try await a.shell("rmdir d")
                struct Answer: Decodable {
                    struct Version: Decodable { let version: String }
                    let versions: [Version]
                }
                let text = try await a.ubiquity(["versions", "--json", a.path("d/f")]).text()
                let versions = try JSONDecoder().decode(Answer.self, from: Data(text.utf8)).versions
                #expect(versions.count == 2)
                try await a.ubiquity(["restore", a.path("d/f"), "--version", try #require(versions.last).version])
                    .text()
                #expect(try await a.contents("d/f") == "one")
            }
        }

        @Test(
            "without the cloud deleted items are listed and restored; names and attributes return at once, and reach all devices later"
        )
        func offline() async throws {
            try await TestDevices.withTwo { cloud, a, b in
                try await a.shell(Self.album)
                let before = try await a.shell(Self.look)
                try await a.sync()
                try await eventually("B has it") { try await b.list() == ["photos"] }
                // The inner folder is deleted on A, and the deletion is uploaded; the outer folder is deleted on B, and
                // the deletion is not uploaded.
                try await a.shell("rm -r photos/2024")
                try await a.sync()
                try await eventually("B lacks it") { try await b.list("photos") == ["best"] }
                try cloud.goOffline()
                try await b.shell("rm -r photos")
                #expect(try await deleted(b).map(\.path) == ["CloudDocs/Documents/photos"])
                #expect(try await restore(b, b.path("photos")).contains(" and 43 items in it."))
                #expect(
                    try await b.shell("stat -c %s photos/2024/IMG_40.JPG; readlink photos/best; stat -c %a photos")
                        == "11\n2024/IMG_2.JPG\n750")
                try cloud.goOnline()
                try await b.sync()
                try await a.sync()
                for device in [a, b] {
                    try await eventually("\(device.name) has all") {
                        try await device.tryShell(Self.look).output.hasPrefix(before)
                    }
                }
            }
        }

        @Test("several paths, and everything that was deleted in a time, are restored with one command")
        func several() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let a = test.a
                try await a.shell("mkdir d; for i in 1 2 3 4; do echo $i > d/$i; done; echo x > other")
                try await a.sync()
                try await a.shell("rm d/1 d/2 d/3 other")
                try await a.sync()
                let two = try await a.ubiquity(["restore", a.path("d/1"), a.path("d/2"), a.path("never")])
                #expect(two.status == 1 && two.errors.contains("never"), "\(two)")
                #expect(two.output.contains("d/1.\n") && two.output.contains("d/2.\n"), "\(two)")
                _ = try await a.ubiquity(["restore", "--since", "1h", a.path("d")]).text()
                #expect(try await a.shell("cat d/* && ls") == "1\n2\n3\n4\nd")
                _ = try await a.ubiquity(["restore", "--since", "1h", a.mount]).text()
                #expect(try await a.contents("other") == "x")
                let none = try await a.ubiquity(["restore", "--since", "1h", a.mount]).text()
                #expect(none == "Nothing was deleted in that time.")
            }
        }

        @Test(
            "a document is restored with the folders above it, to another place with --to, beside an item that took its name, or by its id"
        )
        func places() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let a = test.a
                try await a.shell("mkdir -p a/b; echo 1 > a/b/f; echo other > a/b/g; echo x > x")
                try await a.sync()
                try await a.shell("rm -r a x")
                try await a.sync()
                #expect(try await restore(a, a.path("a/b/f")).contains("a/b/f"))
                #expect(try await a.shell("find . -type f") == "./a/b/f")
                try await a.shell("mkdir x; echo taken > x/t")
                #expect(try await restore(a, a.path("x")).contains("/x 2"))
                #expect(try await a.shell("cat x/t 'x 2'") == "taken\nx")
                try await a.shell("mkdir elsewhere")
                #expect(try await restore(a, a.path("a/b/g"), "--to", a.path("elsewhere")).contains("elsewhere/g"))
                #expect(try await a.contents("elsewhere/g") == "other")
                for text in ["old", "new"] {
                    // A new file under a just removed name would be a save of the removed document.
                    try await a.shell("echo \(text) > \(text)")
                    try await a.sync()
                    try await a.shell("mv \(text) y")
                    try await a.sync()
                    try await a.shell("rm y")
                    try await a.sync()
                }
                let both = try await deleted(a, a.documents).filter { $0.path.hasSuffix("/y") }
                #expect(both.count == 2)
                _ = try await restore(a, a.path("y"), "--item", try #require(both.last).itemID)
                #expect(try await a.contents("y") == "old")
                let missing = try await a.ubiquity(["restore", a.path("never")])
                #expect(missing.status == 1 && missing.errors.contains("ubiquity deleted"), "\(missing)")
                let present = try await a.ubiquity(["restore", a.path("a/b/f")])
                #expect(present.errors.contains("has not been deleted"), "\(present)")
            }
        }

        @Test("a deleted document whose versions were removed is no longer listed")
        func forgotten() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let a = test.a
                try await a.shell("echo secret > f")
                try await a.sync()
                try await a.shell("rm f")
                try await a.sync()
                #expect(try await deleted(a).count == 1)
                try await a.ubiquity(["versions", a.path("f"), "--remove-all"]).text()
                #expect(try await deleted(a).isEmpty)
                try await a.sync()
                #expect(try await deleted(a).isEmpty)
            }
        }

        @Test("a program lists and restores deleted items with the library, whichever device deleted them")
        func library() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell("mkdir d; echo 1 > d/1; echo 2 > d/2; echo three > f")
                try await a.sync()
                try await a.shell("rm -r d")
                try await a.sync()
                try await a.shell("rm f; echo else > f.txt")
                try await a.sync()
                try await eventually("B lacks them") { try await b.list() == ["f.txt"] }
                let said = try await b.shell("\(b.binaries)/presenter-tool deleted .")
                #expect(said == "f 6 bytes by A\nat f\nd folder of 2 by A\nat d\nleft 0")
                #expect(try await b.shell("cat d/1 d/2 f") == "1\n2\nthree")
            }
        }

        @Test("a package is restored as one item, and a thousand documents in a deep tree at once")
        func many() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell(
                    """
                    mkdir -p note.rtfd deep/{0..9}/{0..9}; echo t > note.rtfd/TXT.rtf; echo p > note.rtfd/p.png
                    for d in deep/*/*; do for i in {0..9}; do echo $d $i > $d/$i; done; done
                    """)
                try await a.sync()
                try await a.shell(
                    "find . | sort > \(a.state)/tree; rm -r note.rtfd deep")
                try await a.sync()
                let kinds = try await deleted(a).map(\.kind).sorted()
                #expect(kinds == ["folder", "package"])
                _ = try await restore(a, a.path("note.rtfd"))
                #expect(try await restore(a, a.path("deep")).contains(" and 1110 items in it."))
                try await a.shell(
                    "find . | sort | cmp - \(a.state)/tree; rm \(a.state)/tree"
                )
                try await a.sync()
                try await b.sync()
                try await eventually("B has all") { try await b.tryShell("cat deep/9/9/9").output == "deep/9/9 9\n" }
                #expect(try await b.shell("cat note.rtfd/*") == "t\np")
            }
        }
    }
}
