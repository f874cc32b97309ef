import TestSupport
import Testing

extension EndToEnd {
    /// Programs on two devices that each restore their own form of a document.
    @Suite("Rewrite loops")
    struct RewriteLoopTests {
        /// Returns a script that rewrites the document whenever it differs from this device's form, until `stop`
        /// exists.
        private static func insisting(on name: String) -> String {
            "while ! [ -e stop ]; do grep -q ^\(name) f || echo \(name) $RANDOM > f; sleep 0.05; done"
        }

        @Test(
            "two devices that rewrite a document in response to each other are slowed down and named; other documents continue, and no edit is lost"
        )
        func loop() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell("echo start > f")
                try await a.sync()
                try await eventually("B has it") { try await b.tryShell("cat f").output == "start\n" }
                async let first = a.tryShell(Self.insisting(on: "A"))
                async let second = b.tryShell(Self.insisting(on: "B"))
                try await eventually("a device says so", within: .seconds(60)) {
                    let reports = [
                        try await a.ubiquity(["status", a.mount]).text(),
                        try await b.ubiquity(["status", b.mount]).text(),
                    ]
                    return reports.contains { $0.contains("in response to each other") }
                }
                try await a.shell("echo other > g")
                try await eventually("other documents go on") { try await b.tryShell("cat g").output == "other\n" }
                try await a.shell("touch stop")
                try await eventually("it arrives") { try await b.list().contains("stop") }
                _ = try await (first, second)
                try await a.sync()
                try await b.sync()
                try await a.sync()
                #expect(try await a.contents("f") == b.contents("f"))
            }
        }
    }
}
