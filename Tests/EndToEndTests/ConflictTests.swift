import TestSupport
import Testing

extension EndToEnd {
    /// Two devices change the same things without seeing each other's changes.
    @Suite("Conflicts")
    struct ConflictTests {
        @Test("both edit: the newest is current, and the other is shown beside it on both devices, read-only")
        func bothEdit() async throws {
            try await TestDevices.withTwo { cloud, a, b in
                let sibling = try await Self.makeConflict(cloud, a, b)
                #expect(sibling.wholeMatch(of: /doc \(conflict from A \d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d\)\.txt/) != nil)
                for device in [a, b] {
                    #expect(try await device.contents("doc.txt") == "newer, by B")
                    #expect(try await device.contents(sibling) == "older, by A")
                    #expect(try await device.shell("stat -c %a '\(sibling)'") == "444")
                    #expect(try await device.status("doc.txt").hasUnresolvedConflicts)
                    #expect(try await device.attribute("conflictOf", of: sibling)?.hasSuffix("doc.txt") == true)
                }
                // A restart does not duplicate a sibling.
                try await a.restart()
                try await a.sync()
                #expect(try await a.list() == [sibling, "doc.txt"].sorted())
            }
        }

        @Test(
            "a sibling keeps its mode, times, owner and attributes: changing them is EACCES, and the ubiquity attributes can still be read and set"
        )
        func siblingIsFixed() async throws {
            try await TestDevices.withTwo { cloud, a, b in
                let sibling = try await Self.makeConflict(cloud, a, b)
                let look = "stat -c '%a %Y %u %g %s' '\(sibling)'; getfattr -d -m - '\(sibling)'"
                let before = try await a.shell(look)
                for change in [
                    "chmod 600", "touch -d 2001-01-01", "touch -a", "chown $(id -u)", "chgrp $(id -g)",
                    "setfattr -n user.tag -v red",
                    "setfattr -x user.tag", "truncate -s 0", "fallocate -l 5",
                    "setfattr -n user.ubiquity.isExcludedFromSync -v 1",
                ] {
                    for held in ["true", "exec 3< '\(sibling)'"] {
                        let refused = try await a.tryShell("\(held); \(change) '\(sibling)'")
                        #expect(refused.errors.contains("Permission denied"), "\(change): \(refused)")
                    }
                }
                #expect(try await a.shell(look) == before)
                try await a.shell("setfattr -n user.ubiquity.pin -v keep '\(sibling)'; cat '\(sibling)' > /dev/null")
                try await Self.expectSame(a, b)
            }
        }

        @Test(
            "the other version is downloaded automatically where the document is local, and stays in the cloud elsewhere"
        )
        func bytesOfTheOther() async throws {
            try await TestDevices.with(devices: ["A", "B", "C"]) { test in
                let (a, b, c) = (test.devices[0], test.devices[1], test.devices[2])
                let sibling = try await Self.makeConflict(test.cloud, a, b)
                for device in [a, b] {
                    try await eventually("it comes by itself on \(device.name)") {
                        try await device.attribute("status", of: sibling) == "current"
                    }
                }
                try await eventually("C shows it") { try await c.list().contains(sibling) }
                #expect(try await c.attribute("status", of: sibling) == "notDownloaded")
            }
        }

        @Test("deleting the sibling discards it everywhere")
        func deleteSibling() async throws {
            try await TestDevices.withTwo { cloud, a, b in
                let sibling = try await Self.makeConflict(cloud, a, b)
                try await b.shell("rm -f '\(sibling)'")
                try await Self.expect([a, b], hold: ["doc.txt": "newer, by B"])
                try await Self.expectNoConflict([a, b])
            }
        }

        @Test("renaming the sibling makes it an independent document everywhere")
        func renameSibling() async throws {
            try await TestDevices.withTwo { cloud, a, b in
                let sibling = try await Self.makeConflict(cloud, a, b)
                try await a.shell("mv '\(sibling)' kept.txt")
                try await Self.expect([a, b], hold: ["doc.txt": "newer, by B", "kept.txt": "older, by A"])
                try await Self.expectNoConflict([a, b])
                #expect(try await a.status("kept.txt").itemID != a.status("doc.txt").itemID)
                try await a.shell("echo edited > kept.txt")
                try await Self.expect([a, b], hold: ["doc.txt": "newer, by B", "kept.txt": "edited"])
            }
        }

        @Test("renaming the sibling over the document makes it current everywhere")
        func renameOver() async throws {
            try await TestDevices.withTwo { cloud, a, b in
                let sibling = try await Self.makeConflict(cloud, a, b)
                let id = try await a.status("doc.txt").itemID
                try await b.shell("mv -f '\(sibling)' doc.txt")
                try await Self.expect([a, b], hold: ["doc.txt": "older, by A"])
                try await Self.expectNoConflict([a, b])
                #expect(try await a.status("doc.txt").itemID == id)
                try await a.shell("echo edited > doc.txt")
                try await Self.expect([a, b], hold: ["doc.txt": "edited"])
            }
        }

        @Test(
            "conflicts --json lists both sides, and resolve --keep resolves the conflict as requested",
            arguments: ["current", "VERSION", "both"])
        func resolve(keep: String) async throws {
            try await TestDevices.withTwo { cloud, a, b in
                let sibling = try await Self.makeConflict(cloud, a, b)
                let conflicts = try await a.conflicts()
                #expect(conflicts.count == 1)
                let conflict = try #require(conflicts.first)
                let version = try #require(conflict.versions.first)
                #expect(conflict.path == "CloudDocs/Documents/doc.txt" && conflict.current.device == "B")
                #expect(version.path == "CloudDocs/Documents/\(sibling)" && version.device == "A" && version.size == 12)
                let choice = keep == "VERSION" ? version.version : keep
                try await a.ubiquity(["resolve", a.path("doc.txt"), "--keep", choice]).text()
                try await Self.expectNoConflict([a, b])
                switch keep {
                case "current": try await Self.expect([a, b], hold: ["doc.txt": "newer, by B"])
                case "VERSION": try await Self.expect([a, b], hold: ["doc.txt": "older, by A"])
                default:
                    try await eventually("both are documents on both devices") {
                        for device in [a, b] {
                            let names = try await device.list()
                            guard names.count == 2, let other = names.first(where: { $0 != "doc.txt" }),
                                try await device.contents(other) == "older, by A",
                                try await device.attribute("conflictOf", of: other) == nil
                            else { return false }
                        }
                        return true
                    }
                }
            }
        }

        @Test("equal edits do not conflict")
        func equalEdits() async throws {
            try await Self.apart(
                before: "echo base > doc.txt", a: "echo same > doc.txt", b: "echo same > doc.txt",
                hold: ["doc.txt": "same"])
        }

        @Test("an edit wins over a deletion, in either order")
        func editAgainstDelete() async throws {
            try await Self.apart(
                before: "mkdir d; echo base > d/one; echo base > two", a: "echo edited > d/one; rm two",
                b: "rm -r d; echo edited > two", hold: ["d/one": "edited", "two": "edited"])
        }

        @Test("new files with one name: equal ones are merged, different ones both stay")
        func bothCreate() async throws {
            try await TestDevices.withTwo { cloud, a, b in
                try await Self.apart(cloud, a, b, { try await a.shell("echo equal > e; echo from a > f.txt") }) {
                    try await b.shell("echo equal > e; echo from b > f.txt")
                }
                try await eventually("both have all") {
                    for device in [a, b] {
                        guard try await device.list() == ["e", "f 2.txt", "f.txt"] else { return false }
                    }
                    let texts = try await [a.contents("e"), a.contents("f.txt"), a.contents("f 2.txt")]
                    return try await texts == [b.contents("e"), b.contents("f.txt"), b.contents("f 2.txt")]
                        && texts[0] == "equal" && Set(texts[1...]) == ["from a", "from b"]
                }
            }
        }

        @Test("new folders with one name are merged")
        func bothMakeFolder() async throws {
            try await Self.apart(
                before: ":", a: "mkdir -p d/e; echo a > d/e/a; echo x > d/same",
                b: "mkdir -p d/e; echo b > d/e/b; echo x > d/same",
                hold: ["d/e/a": "a", "d/e/b": "b", "d/same": "x"])
        }

        @Test("two moves of one document: it is at one place, the same on both")
        func bothMove() async throws {
            try await TestDevices.withTwo { cloud, a, b in
                try await a.shell("mkdir one two; echo base > doc.txt")
                try await Self.settle(a, b)
                try await Self.apart(cloud, a, b, { try await a.shell("mv doc.txt one/") }) {
                    try await b.shell("mv doc.txt two/renamed.txt")
                }
                try await Self.expectSame(a, b)
                let places = try await a.shell("find . -type f")
                #expect(places == "./one/doc.txt" || places == "./two/renamed.txt", "\(places)")
            }
        }

        @Test("folders moved into each other end as the same tree on both devices")
        func moveIntoEachOther() async throws {
            try await TestDevices.withTwo { cloud, a, b in
                try await a.shell("mkdir one two; echo 1 > one/1; echo 2 > two/2")
                try await Self.settle(a, b)
                try await Self.apart(cloud, a, b, { try await a.shell("mv one two/") }) {
                    try await b.shell("mv two one/")
                }
                try await Self.expectSame(a, b)
                #expect(try await a.shell("find . -type f -exec cat {} + | sort") == "1\n2")
            }
        }

        @Test("deleting a folder never deletes items that the deleting device had not seen")
        func deleteFolder() async throws {
            try await Self.apart(
                before: "mkdir -p d/e; echo old > d/e/old; echo base > d/e/edited", a: "rm -r d",
                b: "echo new > d/e/new; echo edited > d/e/edited", hold: ["d/e/new": "new", "d/e/edited": "edited"])
        }

        @Test("a document renamed on one device and edited on the other has both changes")
        func renameAgainstEdit() async throws {
            try await Self.apart(
                before: "mkdir d; echo base > doc.txt", a: "mv doc.txt d/renamed.txt", b: "echo edited > doc.txt",
                hold: ["d/renamed.txt": "edited"])
        }

        @Test("a device that was stopped while the other edited keeps both edits")
        func frozen() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell("echo base > doc.txt")
                try await Self.settle(a, b)
                _ = try await b.contents("doc.txt")
                b.freeze()
                try await a.shell("echo by a > doc.txt")
                try await a.sync()
                b.thaw()
                try await b.shell("echo by b >> doc.txt")
                try await Self.expectSame(a, b)
                let text = try await a.shell("cat doc*")
                #expect(text.contains("by a") && text.contains("by b"))
            }
        }
    }
}
