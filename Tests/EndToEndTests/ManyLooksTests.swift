import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Unlisted programs that look into every document of a folder.
    @Suite("Programs that look into many documents")
    struct ManyLooksTests {
        private static let refusal = "Resource temporarily unavailable"

        /// Creates documents `d/001`, `d/002` … that B lists and does not have.
        private static func with(
            _ count: Int, kilobytes: Int, _ body: (_ a: TestDevice, _ b: TestDevice) async throws -> Void
        ) async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                let (a, b) = (test.a, test.b)
                try await a.shell(
                    """
                    mkdir d; head -c \(count * kilobytes)K /dev/urandom > all
                    split -b \(kilobytes)K --numeric-suffixes=1 -a 3 all d/; rm all
                    """)
                try await a.sync()
                try await eventually("B lists what A has") {
                    try await b.tryShell("ls d").output.split(separator: "\n").count == count
                }
                try await body(a, b)
            }
        }

        /// Looks into all documents as a program without a terminal, each time in a separate process, and prints the
        /// number of opened documents.
        private static let look =
            "setsid -w bash -c 'for f in d/*; do head -c 10 $f > /dev/null && echo $f; done' | wc -l"

        @Test(
            "a program without a terminal that looks into 80 documents is refused the last ones, shows in the status, and can be allowed"
        )
        func refused() async throws {
            try await Self.with(80, kilobytes: 600) { _, b in
                let outcome = try await b.tryShell(Self.look)
                // The kernel reports a close a moment after it.
                let opened = try #require(Int(outcome.output.filter(\.isNumber)))
                #expect((65..<80).contains(opened) && outcome.errors.contains(Self.refusal), "\(outcome)")
                let status = try await b.ubiquity(["status", b.mount]).text()
                #expect(status.contains("head looked into many documents"), "\(status)")
                #expect(status.contains("ubiquity downloads --allow 'head'"), "\(status)")
                let again = try await b.run("head", "-c", "1", b.path("d/078"))
                #expect(again.errors.contains(Self.refusal), "\(again)")

                // Other programs, local bytes, and the user's own commands continue to work.
                #expect(try await b.shell("cat d/080 | wc -c") == "614400")
                try await eventually("it is here") { try await b.attribute("status", of: "d/080") == "current" }
                #expect(try await b.shell("head -c 10 d/080 | wc -c") == "10")
                #expect(try await b.shell("'\(b.binaries)/ubiquity' run --download -- head -c 9 d/079 | wc -c") == "9")

                let allowed = try await b.ubiquity(["downloads", "--allow", "head", "--mount", b.mount]).text()
                #expect(allowed == "head may download what it opens until the daemon ends.")
                #expect(try await b.shell(Self.look) == "80")
                let after = try await b.ubiquity(["status", b.mount]).text()
                #expect(!after.contains("Refused"), "\(after)")
            }
        }

        @Test("cp -r, tar and find -exec cat of 100 documents without a terminal are not refused, and get every byte")
        func copies() async throws {
            try await Self.with(299, kilobytes: 200) { a, b in
                try await b.shell("mkdir 0 1 2; for n in 0 1 2; do mv d/$n* $n; done")
                let target = try await b.shell("mktemp -d")
                try await b.shell("setsid -w cp -r 0 '\(target)'", limit: .seconds(120))
                try await b.shell("setsid -w tar -cf '\(target)/tar' 1; tar -xf '\(target)/tar' -C '\(target)'")
                try await b.shell(
                    "mkdir '\(target)/2'; setsid -w find 2 -type f -exec sh -c 'cat {} > \(target)/{}' ';'")
                let sums = "find 0 1 2 -type f -exec sha256sum {} + | sort | sha256sum"
                let copied = try await b.shell("cd '\(target)'; \(sums)")
                try await b.shell("rm -r '\(target)'")
                try await b.sync()
                try await eventually("A has the new folders") { try await a.list("2").count == 100 }
                #expect(try await a.shell(sums) == copied)
            }
        }
    }
}
