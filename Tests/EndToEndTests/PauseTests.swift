import TestSupport
import Testing

extension EndToEnd {
    /// `isSyncPaused`: how an editor keeps unfinished work on its device.
    @Suite("Paused sync")
    struct PauseTests {
        @Test("a paused document is not uploaded, others are; when it is resumed, it is uploaded")
        func pauses() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell("echo one > f; echo one > g")
                try await a.sync()
                try await eventually("B reads it") { try await b.tryShell("grep -q one f").succeeded }
                #expect(try await a.setAttribute("isSyncPaused", to: "1", of: "f").succeeded)
                #expect(try await a.attribute("isSyncPaused", of: "f") == "1")
                try await a.shell("echo two > f; mv f h; echo two > g; touch -d 2020-01-01 h")
                try await eventually("the other arrives") { try await b.tryShell("grep -q two g").succeeded }
                #expect(try await b.list() == ["f", "g"])
                #expect(try await b.contents("f") == "one")
                #expect(try await a.attribute("isUploaded", of: "h") == "0")
                #expect(try await a.status("h").isUploaded == false)
                let waited = try await a.ubiquity(["sync", a.mount, "--wait"])
                #expect(waited.status == 8, "what is paused is not in the cloud: \(waited)")
                #expect(waited.errors.contains("1 item is paused (h)") && waited.errors.contains("ubiquity resume"))
                try await a.restart()
                #expect(try await a.attribute("isSyncPaused", of: "h") == "1", "it stays so over a restart")
                #expect(try await a.contents("h") == "two")
                #expect(try await a.setAttribute("isSyncPaused", to: "0", of: "h").succeeded)
                try await a.sync()
                try await eventually("it arrives with all that was done to it") {
                    try await b.tryShell("test ! -e f && grep -q two h && test $(stat -c %y h | cut -c1-4) = 2020")
                        .succeeded
                }
            }
        }

        @Test("an edit of a paused document on another device is a conflict when it is resumed, and no edit is lost")
        func conflict() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell("echo base > f")
                try await a.sync()
                try await eventually("B reads it") { try await b.tryShell("grep -q base f").succeeded }
                #expect(try await a.setAttribute("isSyncPaused", to: "1", of: "f").succeeded)
                try await a.shell("echo mine > f")
                try await b.shell("echo theirs > f")
                try await b.sync()
                #expect(try await a.contents("f") == "mine")
                #expect(try await a.setAttribute("isSyncPaused", to: "0", of: "f").succeeded)
                try await a.sync()
                for device in [a, b] {
                    try await eventually("both texts on \(device.name)") {
                        try await device.shell("cat f*conflict* f | sort") == "mine\ntheirs"
                    }
                }
            }
        }

        @Test(
            "changes in a paused folder are not sent while downloads continue; when it is resumed, everything is uploaded"
        )
        func folder() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell("mkdir -p d/e; echo one > d/e/f; echo gone > d/gone; echo one > g; echo far > d/far")
                try await a.sync()
                try await eventually("B reads it") { try await b.tryShell("grep -q one d/e/f").succeeded }
                let paused = try await a.ubiquity(["pause", a.path("d")]).text()
                #expect(paused == "Paused \(a.path("d")).")
                #expect(try await a.attribute("isSyncPaused", of: "d/e/f") == "1", "a folder passes it on")
                #expect(try await a.attribute("isSyncPaused", of: "g") == "0")
                let found = try await a.ubiquity(["find", "isSyncPaused == 1 && kind == 'file'", a.documents]).text()
                #expect(
                    Set(found.split(separator: "\n").map { $0.split(separator: "/").last ?? "" }) == [
                        "f", "gone", "far",
                    ])
                let single = try await a.ubiquity(["resume", a.path("d/e/f")])
                #expect(single.status == 6 && single.errors.contains("Resume that folder"), "\(single)")
                try await a.shell(
                    "echo two > d/e/f; echo new > d/e/new; rm d/gone; mv d/e d/E; echo two > g; mkdir d/sub")
                try await b.shell("echo far away > d/far")
                try await eventually("what is outside arrives") { try await b.tryShell("grep -q two g").succeeded }
                try await eventually("the other device's version arrives") {
                    try await a.tryShell("grep -q away d/far").succeeded
                }
                #expect(try await b.list("d") == ["e", "far", "gone"])
                #expect(try await b.contents("d/e/f") == "one")
                #expect(try await a.ubiquity(["status", a.path("d"), a.path("d/E/f")]).text().contains("paused"))
                try await a.restart()
                #expect(try await a.contents("d/E/f") == "two")
                _ = try await a.ubiquity(["resume", a.path("d")]).text()
                try await a.sync()
                try await eventually("everything arrives") {
                    try await b.tryShell(
                        "test ! -e d/gone && grep -q two d/E/f && grep -q new d/E/new && test -d d/sub"
                    )
                    .succeeded
                }
            }
        }

        @Test("documents of a paused container are not sent; what is moved out of a paused folder is uploaded")
        func container() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell("mkdir d; echo one > f; echo one > d/g")
                try await a.sync()
                try await eventually("B reads it") { try await b.tryShell("grep -q one d/g").succeeded }
                _ = try await a.ubiquity(["pause", "\(a.mount)/CloudDocs"]).text()
                try await a.shell("echo two > f")
                _ = try await a.ubiquity(["sync", a.mount]).text()
                #expect(try await a.attribute("isUploaded", of: "f") == "0")
                _ = try await a.ubiquity(["resume", "\(a.mount)/CloudDocs"]).text()
                try await eventually("it goes up") { try await b.tryShell("grep -q two f").succeeded }
                _ = try await a.ubiquity(["pause", a.path("d")]).text()
                try await a.shell("echo two > d/g; mv d/g g; mv f d/f")
                try await eventually("what left the folder goes up") { try await b.tryShell("grep -q two g").succeeded }
                #expect(try await b.list().contains("f"), "what was moved into it stays where it was")
            }
        }

        private func program(_ device: TestDevice, _ actions: String, on name: String = "f") async throws -> [String] {
            try await device.shell("\(device.binaries)/presenter-tool sync \(name) \(actions)")
                .split(separator: "\n").map(String.init)
        }

        /// Gives A a paused edit, and B an edit of the same file in the cloud.
        private func apart(_ a: TestDevice, _ b: TestDevice) async throws {
            try await a.shell("printf base > f")
            try await a.sync()
            try await eventually("B reads it") { try await b.tryShell("grep -q base f").succeeded }
            #expect(try await program(a, "pause mine controls") == ["pause", "mine", "paused, true"])
            try await b.shell("printf theirs > f")
            try await b.sync()
        }

        @Test(
            "an upload with the option to fail on a conflict fails and changes nothing; after merging the newest version it is uploaded, paused or resumed"
        )
        func failsOnConflict() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await apart(a, b)
                let refused = try await program(a, "upload 'resume unless conflict' controls")
                #expect(refused == ["upload: conflict", "resume unless conflict: conflict", "paused, true"])
                #expect(try await a.contents("f") == "mine")
                #expect(try await b.contents("f") == "theirs")
                let merged = try await program(a, "latest both upload controls")
                #expect(merged == ["latest theirs", "both", "upload of A", "paused, true"])
                try await eventually("B has it") { try await b.contents("f") == "both" }
                #expect(try await program(a, "more 'resume unless conflict' controls").last == "running, true")
                try await eventually("B has that too") { try await b.contents("f") == "more" }
                for device in [a, b] { #expect(try await device.list() == ["f"], "\(device.name) has a conflict") }
            }
        }

        @Test(
            "edits that are dropped are replaced by the cloud's version; the newest version replaces a paused one"
        )
        func drops() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await apart(a, b)
                #expect(try await program(a, "drop controls") == ["drop", "running, true"])
                try await eventually("the cloud's version is there") { try await a.contents("f") == "theirs" }
                #expect(
                    try await program(a, "pause own 'take latest' resume") == ["pause", "own", "take latest", "resume"])
                try await a.sync()
                for device in [a, b] { #expect(try await device.list() == ["f"], "\(device.name) has a conflict") }
            }
        }

        @Test("a version that a program added follows its document, and other programs see it")
        func addedVersions() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                try await test.a.shell("printf one > f")
                #expect(try await program(test.a, "add two add three") == ["add", "two", "add", "three"])
                try await test.a.shell("mv f g")
                #expect(try await program(test.a, "others", on: "g") == ["others two, one"])
            }
        }
    }
}
