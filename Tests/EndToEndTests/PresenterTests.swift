import Glibc
import TestSupport
import Testing

extension EndToEnd {
    /// Programs that present documents, each in a separate process.
    @Suite("Presenters")
    struct PresenterTests {
        @Test("the document's presenter is notified once of each move and deletion by a plain program")
        func movesAndDeletes() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                try await test.a.shell("echo x > f; mkdir d")
                try await test.a.presenting("f") { shown in
                    try await test.a.shell("mv f F")
                    try await shown.says("moved F")
                    try await test.a.shell("mv F d/g")
                    try await shown.says("moved g")
                    try await test.a.shell("rm d/g")
                    try await shown.says("deletion")
                    #expect(shown.notices == ["presenting", "moved F", "moved g", "deletion"])
                }
            }
        }

        @Test("a folder's presenter is notified of every change below it, once, in order")
        func folder() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                try await test.a.shell("mkdir -p d/e; echo x > d/e/old")
                try await test.a.presenting("d") { shown in
                    // The changes are made in sequence: a message about an item already gone when it is sent could not
                    // give the item's place, and is omitted.
                    try await test.a.shell("mkdir d/n; mv d/e/old d/n/new")
                    try await shown.says("moved old to new")
                    try await test.a.shell("rm d/n/new; rmdir d/n")
                    try await shown.says("deletion n")
                    #expect(
                        shown.notices == ["presenting", "appeared n", "moved old to new", "deletion new", "deletion n"])
                    try await test.a.shell("echo y > d/w")
                    try await shown.says("subitem w")
                    #expect(shown.notices.suffix(2) == ["appeared w", "subitem w"])
                }
            }
        }

        @Test("a presenter that never replies is passed over, and not waited for again")
        func deaf() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                try await test.a.shell("echo x > f")
                // The file is uploaded first; otherwise the daemon would be the first to ask.
                try await test.a.sync()
                try await test.a.presenting("f deaf") { shown in
                    try await test.a.shell("\(test.a.note("f add y")); \(test.a.note("f add z"))")
                    #expect(try await test.a.contents("f") == "x\ny\nz")
                    #expect(shown.said.count { $0 == "writer" } == 1)
                    let report = try await test.a.ubiquity(["diagnose", "--claims", test.a.mount]).text()
                    #expect(
                        report.contains("presenter-tool (pid ") && report.contains("shows it, does not answer"),
                        "\(report)")
                }
            }
        }

        @Test("a presenter that is killed or stopped while others wait for it stops delaying them")
        func killedOrStopped() async throws {
            for (number, signal) in [SIGSTOP, SIGKILL].enumerated() {
                try await TestDevices.with(devices: ["A"]) { test in
                    try await test.a.shell("echo x > f")
                    try await test.a.sync()
                    try await test.a.presenting("\(test.a.documents)/f deaf") { shown in
                        async let writer = test.a.shell(test.a.note("f add y"))
                        try await shown.says("writer")
                        try await test.a.signalPresenters(signal)
                        _ = try await writer
                        #expect(try await test.a.contents("f") == "x\ny", "signal \(signal), \(number)")
                        try await test.a.signalPresenters(SIGKILL)
                    }
                }
            }
        }

        @Test("kill -9 in an accessor of the library releases its claim at once")
        func killedAccessor() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                try await test.a.shell("echo x > f")
                try await test.a.showing(
                    "presenter-tool", "hold write \(test.a.documents)/f \(test.a.state)/go", first: "held f"
                ) { _ in
                    async let writer = test.a.shell(test.a.note("f add y"))
                    try await eventually("it waits") {
                        try await test.a.ubiquity(["diagnose", "--claims", test.a.mount]).text().contains("to write")
                    }
                    try await test.a.signalPresenters(SIGKILL)
                    _ = try await writer
                    #expect(try await test.a.contents("f") == "x\ny")
                }
            }
        }

        @Test(
            "if a document is deleted while programs wait for it they get an error, and do not create it again by accident"
        )
        func deletedWhileWaiting() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                try await test.a.shell("echo x > f")
                let go = "\(test.a.state)/go"
                try await test.a.showing("presenter-tool", "hold write f \(go)", first: "held f") { shown in
                    async let writer = test.a.tryShell(test.a.note("f add y"))
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

        @Test("a question overtakes the notices that wait behind a slow callback")
        func slowCallback() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let go = "\(test.a.state)/go"
                try await test.a.shell("mkdir d; echo x > d/f; echo x > f")
                try await test.a.presenting("f slow \(go)") { shown in
                    try await test.a.shell("echo y > f")
                    try await shown.says("changed")
                    try await test.a.shell("mv f g; echo z > g; mv g h")
                    async let reader = test.a.shell(test.a.note("h show"))
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

        @Test("presenters are notified of changes again when the daemon restarts after a crash")
        func restart() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                try await test.a.shell("echo x > f")
                try await test.a.presenting("f") { shown in
                    try await test.a.kill9()
                    try await test.a.start()
                    try await eventually("it is asked again") {
                        try await test.a.shell(test.a.note("f show"))
                        return shown.said.contains("reader")
                    }
                }
            }
        }
    }
}
