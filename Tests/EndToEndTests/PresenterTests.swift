import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    /// Programs that present documents, each a process of its own.
    @Suite("Presenters")
    struct PresenterTests {
        /// A program that shows a document until it is told to end.
        struct Shown: Sendable {
            let device: TestDevice
            let name: String

            private var output: String { "\(device.state)/\(name).out" }
            private var end: String { "\(device.state)/\(name).end" }
            private var input: String { "\(device.state)/\(name).in" }

            /// Runs until ``stop()``; what is in the input by then has been read line by line.
            func run(_ tool: String, _ arguments: String) async throws -> ProgramOutcome {
                let feed =
                    "touch \(input); tail -n +1 -s 0.05 -f \(input) & t=$!; while ! [ -e \(end) ]; do sleep 0.05; done; kill $t"
                return try await device.tryShell("{ \(feed); } | \(device.binaries)/\(tool) \(arguments) > \(output)")
            }

            func stop() { _ = FileManager.default.createFile(atPath: end, contents: nil) }

            func type(_ line: String) throws {
                if !FileManager.default.fileExists(atPath: input) {
                    _ = FileManager.default.createFile(atPath: input, contents: nil)
                }
                let file = try #require(FileHandle(forWritingAtPath: input))
                try file.seekToEnd()
                try file.write(contentsOf: Data("\(line)\n".utf8))
                try file.close()
            }

            /// What it has said so far.
            var said: [String] {
                let text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
                return text.split(separator: "\n").map(String.init)
            }

            /// Without what the daemon's uploads ask for, and the state in the cloud, which come when they like.
            var news: [String] {
                said.filter { !["reader", "save", "back"].contains($0) && !$0.hasPrefix("attribute ") }
            }

            func says(_ line: String, times: Int = 1) async throws {
                try await eventually("it says “\(line)”") {
                    said.count { $0 == line } >= times
                } describe: {
                    "\(said)"
                }
            }
        }

        /// Shows a document while `body` runs.
        func showing(
            _ device: TestDevice, _ tool: String, _ arguments: String, first: String, name: String = "shown",
            _ body: (Shown) async throws -> Void
        ) async throws {
            let shown = Shown(device: device, name: name)
            async let program = shown.run(tool, arguments)
            do {
                try await shown.says(first)
                try await body(shown)
            } catch {
                shown.stop()
                throw error
            }
            shown.stop()
            _ = try await program
        }

        func present(
            _ device: TestDevice, _ arguments: String, name: String = "shown", _ body: (Shown) async throws -> Void
        ) async throws {
            try await showing(device, "presenter-tool", "present \(arguments)", first: "presenting", name: name, body)
        }

        /// Sends a signal to the tool that has one of the device's documents.
        private func signal(_ device: TestDevice, _ number: Int32) async throws {
            let text = try await device.shell("pgrep -f '^[^ ]*/presenter-tool .*\(device.documents)/' || true")
            for pid in text.split(separator: "\n").compactMap({ Int32($0) }) { Glibc.kill(pid, number) }
        }

        private func note(_ device: TestDevice, _ command: String) -> String {
            "\(device.binaries)/NoteTaker \(command)"
        }

        @Test("who reads a document that another program has open gets what was typed there and not saved")
        func saves() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                try await showing(test.a, "NoteTaker", "n.txt", first: "open") { note in
                    try note.type("add typed and not saved")
                    // Shown by the program itself once it has read the line.
                    try note.type("show")
                    try await note.says("typed and not saved")
                    #expect(try await test.a.list() == [])
                    #expect(try await test.a.shell(self.note(test.a, "n.txt show")) == "typed and not saved")
                    #expect(note.said.contains("save"))
                }
            }
        }

        @Test("a note that vim and another program write too shows each change, and nothing is lost")
        func editors() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                try await test.a.shell("echo one > n.txt")
                try await showing(test.a, "NoteTaker", "n.txt", first: "open") { note in
                    try await test.a.shell("ex -s -c '$a|two' -c 'wq' n.txt")
                    try await note.says("changed: two")
                    try await test.a.shell("echo three >> n.txt")
                    try await note.says("changed: three")
                    try await test.a.shell(self.note(test.a, "n.txt add four"))
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

        @Test("each move and deletion by a plain program is told once, to the document's presenter")
        func movesAndDeletes() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                try await test.a.shell("echo x > f; mkdir d")
                try await present(test.a, "f") { shown in
                    try await test.a.shell("mv f F")
                    try await shown.says("moved F")
                    try await test.a.shell("mv F d/g")
                    try await shown.says("moved g")
                    try await test.a.shell("rm d/g")
                    try await shown.says("deletion")
                    #expect(shown.news == ["presenting", "moved F", "moved g", "deletion"])
                }
            }
        }

        @Test("a folder's presenter hears of everything below, once, in order")
        func folder() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                try await test.a.shell("mkdir -p d/e; echo x > d/e/old")
                try await present(test.a, "d") { shown in
                    // One by one: a letter about what is gone when it is sent would not say where that is now, and is left out.
                    try await test.a.shell("mkdir d/n; mv d/e/old d/n/new")
                    try await shown.says("moved old to new")
                    try await test.a.shell("rm d/n/new; rmdir d/n")
                    try await shown.says("deletion n")
                    #expect(
                        shown.news == ["presenting", "appeared n", "moved old to new", "deletion new", "deletion n"])
                    try await test.a.shell("echo y > d/w")
                    try await shown.says("subitem w")
                    #expect(shown.news.suffix(2) == ["appeared w", "subitem w"])
                }
            }
        }

        @Test("a presenter that never answers is passed over, and not waited for again")
        func deaf() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                try await test.a.shell("echo x > f")
                // Uploaded, or the daemon would be the first to ask.
                try await test.a.sync()
                try await present(test.a, "f deaf") { shown in
                    try await test.a.shell("\(note(test.a, "f add y")); \(note(test.a, "f add z"))")
                    #expect(try await test.a.contents("f") == "x\ny\nz")
                    #expect(shown.said.count { $0 == "writer" } == 1)
                    let report = try await test.a.ubiquity(["diagnose", "--claims", test.a.mount]).text()
                    #expect(
                        report.contains("presenter-tool (pid ") && report.contains("shows it, does not answer"),
                        "\(report)")
                }
            }
        }

        @Test("a presenter that is killed or stopped while others wait for it holds them up no longer")
        func killedOrStopped() async throws {
            for (number, signal) in [SIGSTOP, SIGKILL].enumerated() {
                try await TestDevices.with(devices: ["A"]) { test in
                    try await test.a.shell("echo x > f")
                    try await test.a.sync()
                    try await present(test.a, "\(test.a.documents)/f deaf") { shown in
                        async let writer = test.a.shell(note(test.a, "f add y"))
                        try await shown.says("writer")
                        try await self.signal(test.a, signal)
                        _ = try await writer
                        #expect(try await test.a.contents("f") == "x\ny", "signal \(signal), \(number)")
                        try await self.signal(test.a, SIGKILL)
                    }
                }
            }
        }

        @Test("kill -9 in an accessor of the library frees its claim at once")
        func killedAccessor() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                try await test.a.shell("echo x > f")
                try await showing(
                    test.a, "presenter-tool", "hold write \(test.a.documents)/f \(test.a.state)/go", first: "held f"
                ) { _ in
                    async let writer = test.a.shell(note(test.a, "f add y"))
                    try await eventually("it waits") {
                        try await test.a.ubiquity(["diagnose", "--claims", test.a.mount]).text().contains("to write")
                    }
                    try await signal(test.a, SIGKILL)
                    _ = try await writer
                    #expect(try await test.a.contents("f") == "x\ny")
                }
            }
        }

        @Test(
            "a document that is deleted while programs wait for it is an error to them, and is not made again by accident"
        )
        func deletedWhileWaiting() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                try await test.a.shell("echo x > f")
                let go = "\(test.a.state)/go"
                try await showing(test.a, "presenter-tool", "hold write f \(go)", first: "held f") { shown in
                    async let writer = test.a.tryShell(note(test.a, "f add y"))
                    try await eventually("it waits") {
                        try await test.a.ubiquity(["diagnose", "--claims", test.a.mount]).text().contains("to write")
                    }
                    try await test.a.shell("rm f; touch \(go)")
                    try await shown.says("done")
                    let outcome = try await writer
                    #expect(!outcome.succeeded && outcome.errors.contains("deleted"), "\(outcome)")
                    #expect(try await test.a.list() == [])
                }
            }
        }

        @Test("a question overtakes the news that wait behind a slow callback")
        func slowCallback() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let go = "\(test.a.state)/go"
                try await test.a.shell("mkdir d; echo x > d/f; echo x > f")
                try await present(test.a, "f slow \(go)") { shown in
                    try await test.a.shell("echo y > f")
                    try await shown.says("changed")
                    try await test.a.shell("mv f g; echo z > g; mv g h")
                    async let reader = test.a.shell(note(test.a, "h show"))
                    try await eventually("it asks") {
                        try await test.a.ubiquity(["diagnose", "--claims", test.a.mount]).text().contains("presenters")
                    }
                    try await test.a.shell("touch \(go)")
                    #expect(try await reader == "z")
                    try await shown.says("moved h")
                    let order = shown.said
                    let asked = try #require(order.firstIndex(of: "reader"))
                    #expect(asked < (try #require(order.firstIndex { $0.hasPrefix("moved") })), "\(order)")
                }
            }
        }

        @Test("a coordinated read fetches a document that is not here, and the library tells its state")
        func placeholder() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell("echo x > f")
                try await a.sync()
                try await b.sync()
                #expect(try await b.shell(note(b, "f state")) == "in the cloud, uploaded")
                #expect(try await b.shell(note(b, "f show")) == "x")
                #expect(try await b.shell(note(b, "f state")) == "here, uploaded")
                let local = try await b.shell("echo y > \(b.state)/local; \(note(b, "\(b.state)/local state"))")
                #expect(local == "on this machine only")
            }
        }

        @Test("a program that resolves a conflict by the library keeps the lines of both sides, on both devices")
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
                try await b.shell(note(b, "f resolve"))
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

        @Test("the bytes of a document that a program shows are dropped only if it lets them go")
        func eviction() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                try await test.a.shell("echo x > f")
                try await test.a.sync()
                let evict = ["evict", "\(test.a.documents)/f"]
                try await present(test.a, "f") { shown in
                    let refused = try await test.a.ubiquity(evict)
                    #expect(!refused.succeeded && refused.errors.contains("not ready"), "\(refused)")
                    #expect(shown.news == ["presenting", "eviction"])
                }
                var freed: ProgramOutcome?
                try await present(test.a, "f yields", name: "yielding") { _ in freed = try await test.a.ubiquity(evict)
                }
                #expect(freed?.succeeded == true)
                #expect(try await test.a.shell(note(test.a, "f state")) == "in the cloud, uploaded")
            }
        }

        @Test("presenters hear of changes again when the daemon comes back after a crash")
        func restart() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                try await test.a.shell("echo x > f")
                try await present(test.a, "f") { shown in
                    try await test.a.kill9()
                    try await test.a.start()
                    try await eventually("it is asked again") {
                        try await test.a.shell(note(test.a, "f show"))
                        return shown.said.contains("reader")
                    }
                }
            }
        }

        @Test("a change of another device reaches the presenter once its bytes are here")
        func otherDevice() async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                try await test.a.shell("echo x > f")
                let b = test.devices[1]
                try await test.a.sync()
                try await b.sync()
                try await b.shell("cat f")
                try await showing(b, "NoteTaker", "f", first: "open") { note in
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
