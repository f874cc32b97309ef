import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Programs' use of the library, each in a separate process.
    @Suite("The library")
    struct LibraryTests {
        private func library(_ device: TestDevice, _ words: String) async throws -> [String] {
            try await device.shell(
                "UBIQUITY_MOUNT='\(device.mount)' \(device.binaries)/presenter-tool library \(words)"
            ).split(separator: "\n").map(String.init)
        }

        private func tool(_ device: TestDevice, _ words: String) async throws -> String {
            try await library(device, words).joined(separator: "; ")
        }

        @Test("a container's folder is created when it is requested; nil requests the default container")
        func containers() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let folder = try await tool(test.a, "container com.example.notes")
                #expect(
                    folder == "\(test.a.mount)/com~example~notes",
                    "a container's folder has the name that Apple gives it")
                #expect(FileManager.default.fileExists(atPath: folder))
                #expect(try await tool(test.a, "container") == "\(test.a.mount)/CloudDocs")
                #expect(try await tool(test.a, "container a/b") == "none")
            }
        }

        @Test("a program that subscribes to a document, or opens it, receives the progress of its download, to the end")
        func progress() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell("head -c 1000000 /dev/urandom > f; head -c 900000 /dev/urandom > g")
                try await a.sync()
                try await b.sync()
                // The download takes seconds.
                try await b.ubiquity(["limit", "--down", "300K", "--mount", b.mount]).text()
                #expect(
                    try await library(b, "progress f") == [
                        "published 1000000 bytes, NSProgressFileOperationKindDownloading", "under way",
                        "unpublished at 1000000",
                    ])
                #expect(try await library(b, "document g") == ["progress of 900000 bytes", "no progress"])
            }
        }

        @Test(
            "bytes are downloaded and evicted when a program requests it, and its resource values show that; one file is excluded from sync"
        )
        func values() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell("printf 12345 > f; mkdir p.rtfd; printf 1 > p.rtfd/text")
                try await a.sync()
                try await b.sync()
                let away = "f, UbiquitousItemDownloadingStatusNotDownloaded, 0 %, not package, ubiquitous, uploaded, "
                #expect(try await tool(b, "values f") == away + "not downloaded, not excluded, 8 values")
                #expect(try await tool(b, "download f") == "download")
                let here = "f, UbiquitousItemDownloadingStatusCurrent, 100 %, not package, ubiquitous, uploaded, "
                try await eventually("it is here") {
                    try await tool(b, "values f") == here + "downloaded, not excluded, 8 values"
                }
                #expect(try await tool(b, "evict f") == "evict")
                #expect(try await tool(b, "values f").hasPrefix(away))
                #expect(try await tool(b, "values p.rtfd").contains(", package, ubiquitous"))
                #expect(try await tool(b, "values gone").hasPrefix("NSCocoaErrorDomain 260"))
                try await a.shell("printf 1 > local")
                #expect(try await tool(a, "exclude local") == "exclude")
                #expect(try await tool(a, "values local").contains(", excluded, "))
                #expect(try await tool(a, "include local") == "include")
                try await a.sync()
                try await eventually("the other device has it now") { try await b.list().contains("local") }
            }
        }

        @Test("a folder, a package and a file can be paused")
        func pauses() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                try await test.a.shell("echo x > f; mkdir d p.rtfd")
                #expect(try await tool(test.a, "pause d") == "can be paused")
                #expect(try await tool(test.a, "pause p.rtfd") == "can be paused")
                #expect(try await tool(test.a, "pause f") == "can be paused")
                #expect(try await test.a.shell("\(test.a.binaries)/presenter-tool sync d pause") == "pause")
                #expect(try await test.a.attribute("isSyncPaused", of: "d") == "1")
                let refusal = try await test.a.shell("echo x > d/g; \(test.a.binaries)/presenter-tool sync d/g resume")
                #expect(refusal.contains("Resume that folder"), "\(refusal)")
                #expect(try await test.a.shell("\(test.a.binaries)/presenter-tool sync d resume") == "resume")
                #expect(try await test.a.attribute("isSyncPaused", of: "d/g") == "0")
            }
        }

        @Test("results are grouped, and their values counted")
        func groups() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                try await test.a.shell("printf 1 > a.txt; printf 2 > b.txt; printf 33 > c.txt")
                let said = try await library(test.a, "groups '\(test.a.documents)'")
                #expect(said == ["group 1: 2", "group 2: 1", "value 1: 2", "value 2: 1"])
                #expect(try await tool(test.a, "updates '\(test.a.documents)'") == "added a.txt b.txt c.txt")
            }
        }

        @Test("a copy for uploading is closed to other users and deleted afterwards, also if none could be made")
        func copies() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let temporary = try test.plain("temporary")
                try await test.a.shell("echo x > f; chmod 644 f; mkdir d; echo y > d/g")
                for (name, outcome) in [("f", "700\n600"), ("d", "700\n600"), ("gone", "NSCocoaErrorDomain")] {
                    let said = try await test.a.shell(
                        "TMPDIR='\(temporary)' \(test.a.binaries)/presenter-tool library upload \(name)")
                    #expect(said.hasPrefix(outcome), "\(said)")
                    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary) == [])
                }
            }
        }

        // MARK: Moves

        @Test(
            "a document and a folder that a program moves into a container and out of it keep their presenters, with edits made meanwhile"
        )
        func borders() async throws {
            try await TestDevices.withTwo { _, a, b in
                let outside = "\(a.state)/outside"
                try await a.shell(
                    "mkdir -p '\(outside)/d/e'; printf one > '\(outside)/f'; touch -d 2020-01-02 '\(outside)/d/e/g'")
                try await a.shell("mkdir '\(outside)/p.rtfd'; printf text > '\(outside)/p.rtfd/text'")
                for name in ["f", "d", "p.rtfd"] {
                    let said = try await library(a, "move in '\(outside)/\(name)' '\(a.path(name))'")
                    #expect(said.contains("moved \(name)") && said.contains("presented at \(a.path(name))"), "\(said)")
                    #expect(!said.contains("deletion"), "\(said)")
                    // Its own edit is notified at any time.
                    if name == "f" { #expect(said.last { $0 != "changed" } == "document at \(a.path(name))") }
                }
                #expect(try FileManager.default.contentsOfDirectory(atPath: outside) == [])
                #expect(try await a.contents("f") == "one and more")
                #expect(try await a.shell("date -r d/e/g +%F; cat p.rtfd/text") == "2020-01-02\ntext")
                #expect(try await a.shell("ls -A") == "d\nf\np.rtfd")
                try await a.sync()
                try await eventually("the other device has them") {
                    try await b.list().sorted() == ["d", "f", "p.rtfd"]
                }
                // None of the items' bytes are on this device.
                let target = "\(b.state)/out"
                try await b.shell("mkdir '\(target)'")
                for name in ["f", "d", "p.rtfd"] {
                    let said = try await library(b, "move out '\(b.path(name))' '\(target)/\(name)'")
                    #expect(
                        said.contains("moved \(name)") && said.contains("presented at \(target)/\(name)"), "\(said)")
                    #expect(!said.contains("deletion"), "\(said)")
                }
                let text = try await b.shell("cat '\(target)/f' '\(target)/p.rtfd/text'; date -r '\(target)/d/e/g' +%F")
                #expect(text == "one and more and moretext2020-01-02")
                try await eventually("they left the other device") { try await a.list() == [] }
            }
        }

        @Test("a move that cannot be made fails with Foundation's error and reason, and leaves the item in its place")
        func refusedMoves() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let outside = try test.plain("outside")
                try await test.a.shell("printf mine > f; printf other > '\(outside)/f'; mkdir d")
                let occupied = try await library(test.a, "move in '\(outside)/f' '\(test.a.path("f"))'")
                #expect(occupied.contains { $0.hasPrefix("NSCocoaErrorDomain 516") }, "\(occupied)")
                #expect(try await test.a.contents("f") == "mine")
                let missing = try await library(test.a, "move in '\(outside)/f' '\(test.a.path("none/f"))'")
                #expect(missing.contains { $0.hasPrefix("NSCocoaErrorDomain 4") }, "\(missing)")
                let whole = try await library(test.a, "move out '\(test.a.mount)/CloudDocs' '\(outside)/all'")
                #expect(whole.contains { $0.hasPrefix("NSCocoaErrorDomain 513") }, "\(whole)")
                let gone = try await library(test.a, "move in '\(outside)/gone' '\(test.a.path("gone"))'")
                #expect(gone.contains { $0.hasPrefix("NSCocoaErrorDomain") }, "\(gone)")
                #expect(try String(contentsOfFile: "\(outside)/f", encoding: .utf8) == "other")
                #expect(try await test.a.shell("ls -A") == "d\nf")
            }
        }

        @Test("a move that a program makes and announces itself keeps presenters across the boundary of a mount")
        func announced() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let outside = try test.plain("outside")
                try await test.a.shell("printf one > '\(outside)/f'")
                let moves = [("\(outside)/f", test.a.path("f")), (test.a.path("f"), "\(outside)/g")]
                for (from, to) in moves {
                    let said = try await library(test.a, "announce '\(from)' '\(to)'")
                    #expect(said.contains("presented at \(to)") && said.contains("document at \(to)"), "\(said)")
                    #expect(!said.contains("deletion"), "\(said)")
                }
                #expect(try String(contentsOfFile: "\(outside)/g", encoding: .utf8) == "one and more and more")
                #expect(try await test.a.list() == [])
            }
        }

        // MARK: Identity

        @Test("the identity token differs by program and is nil after logout, and its observers are notified")
        func identity() async throws {
            try await ServerProcess.with { server in
                try await TestDevices.with(devices: ["A"], cloud: server.url) { test in
                    try await test.a.ubiquity(["login", server.url, "--code", server.code()]).text()
                } _: { test in
                    let token = try await tool(test.a, "token")
                    #expect(token.hasPrefix("token "))
                    #expect(try await tool(test.a, "token") == token)
                    let other = try await test.a.shell(
                        """
                        cp '\(test.a.binaries)/presenter-tool' '\(test.root)/other-tool'
                        UBIQUITY_MOUNT='\(test.a.mount)' '\(test.root)/other-tool' library token
                        """)
                    #expect(other.hasPrefix("token ") && other != token)
                    try await test.a.showing("presenter-tool", "identity", first: "watching") { shown in
                        // The program requested the token before it printed that line.
                        try await test.a.ubiquity(["logout", server.url, "--keep-files"]).text()
                        #expect(try await tool(test.a, "token") == "no token")
                        try await shown.says("changed: none")
                        try await test.a.ubiquity(["login", server.url, "--code", server.code()]).text()
                        try await shown.says("changed: some")
                    }
                    #expect(try await tool(test.a, "token") == token)
                }
            }
        }
    }
}
