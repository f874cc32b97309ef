import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Folders treated as a single document: they are saved, sent, fetched and shown as a whole.
    @Suite("Packages")
    struct PackageTests {
        @Test(
            "a package whose files are written one after the other arrives complete, and a file beside it does not wait for it"
        )
        func arrivesWhole() async throws {
            try await TestDevices.withTwo { _, a, b in
                let write = "mkdir d.rtfd; for i in 1 2 3 4 5 6; do echo $i > d.rtfd/$i; sleep 0.15; done"
                async let saved = a.shell("echo x > beside; \(write)")
                var counts: Set<Int> = []
                try await eventually("the package arrives") {
                    let names = try await b.shell("ls d.rtfd 2> /dev/null || true").split(separator: "\n")
                    if !names.isEmpty { counts.insert(names.count) }
                    return names.count == 6
                }
                _ = try await saved
                #expect(counts == [6])
                #expect(try await b.list().contains("beside"))
            }
        }

        @Test("what a program writes into a package under a claim is sent when the claim ends, all of it at once")
        func claim() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell("mkdir d.rtfd; echo 1 > d.rtfd/x; echo 1 > d.rtfd/y")
                try await a.sync()
                try await b.sync()
                let (go, held) = ("\(a.state)/go", "\(a.state)/held")
                let save =
                    "echo 2 > d.rtfd/x; touch \(held); while ! [ -e \(go) ]; do sleep 0.02; done; echo 2 > d.rtfd/y"
                async let program = a.tryShell("\(a.command(["coordinate", "write", "d.rtfd"])) -- sh -c '\(save)'")
                try await eventually("it is held") { FileManager.default.fileExists(atPath: held) }
                try await a.shell("echo other > g")
                try await eventually("another document arrives") { try await b.list().contains("g") }
                #expect(try await b.shell("cat d.rtfd/x d.rtfd/y") == "1\n1")
                _ = FileManager.default.createFile(atPath: go, contents: nil)
                _ = try await program
                try await a.sync()
                try await b.sync()
                #expect(try await b.shell("cat d.rtfd/x d.rtfd/y") == "2\n2")
            }
        }

        @Test(
            "on a device that has a package's bytes, no coordinated reader sees files of different saves together"
        )
        func noMix() async throws {
            try await TestDevices.withTwo { _, a, b in
                let files = "d.rtfd/1 d.rtfd/2 d.rtfd/3"
                try await a.shell("mkdir d.rtfd; for f in \(files); do echo 0 > $f; done")
                try await a.sync()
                try await b.sync()
                try await b.download("d.rtfd")
                let save =
                    "for n in 1 2 3 4 5; do for f in \(files); do echo $n > $f; sleep 0.05; done; sleep 0.4; done"
                async let saved = a.shell(save)
                var seen: [String] = []
                let read = "\(b.command(["coordinate", "read", "d.rtfd"])) -- cat \(files)"
                try await eventually("the last save arrives") {
                    seen.append(try await b.shell(read).replacing("\n", with: ""))
                    return seen.last == "555"
                } describe: {
                    "\(seen)"
                }
                _ = try await saved
                #expect(seen.allSatisfy { Set($0).count == 1 }, "\(seen)")
            }
        }

        @Test("opening one file of a package downloads all of it, and its folder shows the progress")
        func oneDownload() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell("mkdir -p d.rtfd/in; echo 1 > d.rtfd/x; echo 2 > d.rtfd/in/y; echo 3 > z")
                try await a.sync()
                try await b.sync()
                #expect(try await b.attribute("status", of: "d.rtfd") == "notDownloaded")
                #expect(try await b.contents("d.rtfd/x") == "1")
                try await eventually("the other file is here too") {
                    try await b.attribute("status", of: "d.rtfd/in/y") == "current"
                }
                #expect(try await b.attribute("status", of: "d.rtfd") == "current")
                #expect(try await b.attribute("status", of: "z") == "notDownloaded")
                try await b.shell("echo more >> d.rtfd/in/y")
                #expect(try await b.attribute("isUploaded", of: "d.rtfd") == "0")
                try await b.sync()
                #expect(try await b.attribute("isUploaded", of: "d.rtfd") == "1")
            }
        }

        @Test(
            "a folder with an extension that its container declares is a package on every device, also an existing folder"
        )
        func declared() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell("mkdir old.mydoc; echo 1 > old.mydoc/x")
                try await a.sync()
                try await b.sync()
                #expect(try await b.status("old.mydoc").kind == "folder")
                let types = try await a.ubiquity(["package-types", "--mount", a.mount, "--add", ".MyDoc"]).text()
                #expect(types.hasPrefix("mydoc\tdeclared\n") && types.contains("rtfd\tbuilt in"))
                try await a.sync()
                try await b.sync()
                #expect(try await b.status("old.mydoc").kind == "package")
                #expect(try await b.attribute("status", of: "old.mydoc") == "notDownloaded")
                for path in ["old.mydoc", ".."] {
                    #expect(try await b.status(path).packageTypes == ["mydoc"])
                }
                #expect(try await b.status("old.mydoc/x").packageTypes == nil)
                let text = try await b.ubiquity(["status", b.path("old.mydoc")]).text()
                #expect(text.hasSuffix("declares package types: mydoc"), "\(text)")
                let write = "mkdir two.mydoc; for i in 1 2 3 4 5 6; do echo $i > two.mydoc/$i; sleep 0.15; done"
                async let saved = a.shell(write)
                var counts: Set<Int> = []
                try await eventually("the package arrives") {
                    let names = try await b.shell("ls two.mydoc 2> /dev/null || true").split(separator: "\n")
                    if !names.isEmpty { counts.insert(names.count) }
                    return names.count == 6
                }
                _ = try await saved
                #expect(counts == [6])
                let found = try await b.ubiquity(["find", "name == *", "--mount", b.mount, "--sort", "name"]).text()
                #expect(found == ["old.mydoc", "two.mydoc"].map { b.path($0) }.joined(separator: "\n"))
                #expect(try await b.shell("getfattr -d -m - '\(b.mount)/CloudDocs' 2>&1") == "")

                // A program declares package types with the same effect.
                let tool = "UBIQUITY_MOUNT='\(b.mount)' \(b.binaries)/presenter-tool"
                #expect(try await b.shell("\(tool) declare own more mydoc") == "more mydoc own")
                try await b.shell("\(tool) undeclare more")
                try await b.ubiquity(["package-types", "--mount", b.mount, "--remove", "mydoc"]).text()
                try await b.sync()
                try await a.sync()
                #expect(try await a.status("old.mydoc").kind == "folder")
                #expect(
                    try await a.ubiquity(["package-types", "--mount", a.mount]).text().hasPrefix("own\tdeclared\n"))
                let wrong = try await a.ubiquity(["package-types", "--mount", a.mount, "--add", "a.b"])
                #expect(wrong.status == 64 && wrong.errors.contains("cannot be the extension"))
            }
        }

        @Test("a package that two devices changed independently is kept as two complete versions, which both show")
        func twoWholes() async throws {
            try await TestDevices.withTwo { cloud, a, b in
                try await a.shell("mkdir d.rtfd; echo 1 > d.rtfd/x; echo 1 > d.rtfd/y; echo 1 > d.rtfd/z")
                try await a.sync()
                try await b.sync()
                #expect(try await b.contents("d.rtfd/x") == "1")
                try await eventually("the other files are here too") {
                    try await b.attribute("status", of: "d.rtfd") == "current"
                }
                try cloud.goOffline()
                try await a.shell("echo A > d.rtfd/x")
                try await b.shell("echo B > d.rtfd/y; rm d.rtfd/z")
                // B is stopped so that A's change is sent first.
                try await b.stop()
                try cloud.goOnline()
                try await a.sync()
                try await b.start()
                try await b.sync()
                try await a.sync()
                let copy = try #require(try await a.list().first { $0 != "d.rtfd" })
                #expect(copy.wholeMatch(of: /d \(conflict from B .*\)\.rtfd/) != nil)
                for device in [a, b] {
                    #expect(try await device.list() == [copy, "d.rtfd"])
                    #expect(try await device.shell("cd d.rtfd; cat x y z") == "A\n1\n1")
                    #expect(try await device.shell("cd '\(copy)'; cat x y; ls | wc -l") == "1\nB\n2")
                }
            }
        }
    }
}
