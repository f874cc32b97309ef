import TestSupport
import Testing

extension EndToEnd {
    /// `isSyncPaused`: an editor's way to keep half-done work to itself.
    @Suite("Paused sync")
    struct PauseTests {
        @Test("a paused document neither uploads nor is told of, others go on; resumed, it goes up")
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
                let waited = try await a.ubiquity(["sync", a.mount, "--wait", "--timeout", "2"])
                #expect(waited.status == 5, "what is paused is not in the cloud: \(waited)")
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

        @Test("an edit elsewhere of a paused document is a conflict when it resumes, and nothing is lost")
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
    }
}
