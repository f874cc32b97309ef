import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// The example program, beside programs that write its documents, and on two devices.
    @Suite("NoteTaker")
    struct NoteTakerTests {
        @Test("a program that reads a document that is open in another program gets the unsaved edits")
        func saves() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                try await test.a.showing("NoteTaker", "n.txt", first: "open") { note in
                    try note.type("add typed and not saved")
                    // The program itself shows the text once it has read the line.
                    try note.type("show")
                    try await note.says("typed and not saved")
                    #expect(try await test.a.list() == [])
                    #expect(try await test.a.shell(test.a.note("n.txt show")) == "typed and not saved")
                    #expect(note.said.contains("save"))
                }
            }
        }

        @Test(
            "a program's query and settings receive changes of another device, and a setting that is written without a daemon is kept"
        )
        func notebook() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell("echo 1 > first.txt; echo 2 > other.md")
                try await a.sync()
                try await eventually("B lists it") { try await b.list() == ["first.txt", "other.md"] }
                try await b.showing("NoteTaker", "--list --live", first: "listening", name: "list") { list in
                    #expect(list.said.first == "first.txt (in the cloud)")
                    try await a.shell("echo 3 > second.txt")
                    try await list.says("+ second.txt (in the cloud)")
                    try await b.shell("cat first.txt > /dev/null")
                    try await list.says("~ first.txt")
                    try await a.shell("rm second.txt")
                    try await list.says("- second.txt (in the cloud)")
                }
                try await b.showing("NoteTaker", "--settings", first: "listening", name: "settings") { settings in
                    #expect(try await a.shell(a.note("--setting font Mono")) == "kept")
                    try await settings.says("font = Mono, reason 0")
                }
                #expect(try await b.shell(b.note("--setting font")) == "Mono")
                try await b.kill9()
                // The device's shell works in its mount, which no longer exists.
                let script = "cd /; " + b.note("--setting font Sans")
                #expect(try await b.runner.run("bash", ["-c", script], in: "/").text() == "kept")
                try await b.restart()
                #expect(
                    try await b.shell(b.note("--setting font")) == "Sans", "what was written without a daemon is kept")
                try await eventually("A has it") { try await a.shell(a.note("--setting font")) == "Sans" }
            }
        }

        @Test("a note that vim and another program write too shows each change, and no edit is lost")
        func editors() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                try await test.a.shell("echo one > n.txt")
                try await test.a.showing("NoteTaker", "n.txt", first: "open") { note in
                    try await test.a.shell("ex -s -c '$a|two' -c 'wq' n.txt")
                    try await note.says("changed: two")
                    try await test.a.shell("echo three >> n.txt")
                    try await note.says("changed: three")
                    try await test.a.shell(test.a.note("n.txt add four"))
                    try await note.says("changed: four")
                    try note.type("add five")
                    try note.type("save")
                    try await eventually("it is saved") {
                        try await test.a.contents("n.txt") == "one\ntwo\nthree\nfour\nfive"
                    }
                    #expect(!note.said.contains("deleted"))
                    #expect(!note.said.contains("changed: five"), "its own change is no news to it")
                }
            }
        }

        @Test("a coordinated read downloads a placeholder, and the library shows its state")
        func placeholder() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell("echo x > f")
                try await a.sync()
                try await b.sync()
                #expect(try await b.shell(b.note("f state")) == "in the cloud, uploaded")
                #expect(try await b.shell(b.note("f show")) == "x")
                #expect(try await b.shell(b.note("f state")) == "here, uploaded")
                let local = try await b.shell("echo y > \(b.state)/local; \(b.note("\(b.state)/local state"))")
                #expect(local == "on this machine only")
            }
        }

        @Test("a program that resolves a conflict with the library keeps the lines of both sides, on both devices")
        func conflict() async throws {
            try await TestDevices.withTwo { cloud, a, b in
                try await a.shell("echo one > f")
                try await a.sync()
                try await b.sync()
                try await b.shell("cat f")
                let shown = Shown(device: b, name: "shown")
                async let program = shown.run("presenter-tool", "present f")
                defer { shown.stop() }
                try await shown.says("presenting")
                try await ConflictTests.apart(cloud, a, b, { try await a.shell("echo two >> f") }) {
                    try await b.shell("echo three >> f")
                }
                try await shown.says("gained a version of A")
                for device in [a, b] {
                    try await eventually("the conflict shows") {
                        try await device.list().count == 2
                    } describe: {
                        "\(try await device.list())"
                    }
                }
                try await b.shell(b.note("f resolve"))
                try await shown.says("resolved")
                shown.stop()
                _ = try await program
                for device in [a, b] {
                    try await eventually("it is resolved") {
                        let lines = try await device.contents("f").split(separator: "\n").map(String.init)
                        return try await device.list() == ["f"] && Set(lines) == ["one", "two", "three"]
                    }
                }
            }
        }

        @Test("a change of another device reaches the presenter once its bytes are downloaded")
        func otherDevice() async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                try await test.a.shell("echo x > f")
                let b = test.devices[1]
                try await test.a.sync()
                try await b.sync()
                try await b.shell("cat f")
                try await b.showing("NoteTaker", "f", first: "open") { note in
                    try await test.a.shell("echo y >> f")
                    try await note.says("changed: y")
                    try note.type("add z")
                    try note.type("save")
                    try await eventually("the other device has it") { try await test.a.contents("f") == "x\ny\nz" }
                }
            }
        }
    }
}
