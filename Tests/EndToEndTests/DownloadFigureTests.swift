import Foundation
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Figures of downloads")
    struct DownloadFigureTests {
        private struct Report: Decodable {
            struct Day: Decodable {
                struct Source: Decodable {
                    let cause: String
                    let program: String?
                    let documents: Int
                    let bytes: Int
                }

                let sources: [Source]
            }

            let days: [Day]
        }

        private static func sources(_ device: TestDevice) async throws -> [String: Report.Day.Source] {
            let text = try await device.ubiquity(["downloads", "--by-program", "--json", "--mount", device.mount])
                .text()
            let days = try JSONDecoder().decode(Report.self, from: Data(text.utf8)).days
            // The day may change while a test runs.
            return Dictionary(days.flatMap(\.sources).map { ($0.program ?? $0.cause, $0) }) { first, _ in first }
        }

        @Test(
            "what was downloaded is shown by program and by cause, counts what the cloud sent, and is there after a restart"
        )
        func byProgram() async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                let (a, b) = (test.a, test.b)
                try await a.shell("for n in 1 2 3 4; do head -c 2M /dev/urandom > $n; done")
                try await a.sync()
                try await eventually("B lists what A has") { try await b.list().count == 4 }
                #expect(try await Self.sources(b).isEmpty)
                let nothing = try await b.ubiquity(["downloads", "--mount", b.mount]).text()
                #expect(nothing == "Nothing was downloaded.")
                try await b.shell("cat 1 2 > /dev/null; head -c 1 3 > /dev/null")
                try await b.download("4")
                let sources = try await Self.sources(b)
                let cat = try #require(sources["cat"])
                #expect(cat.cause == "program" && cat.documents == 2, "\(sources)")
                // Random bytes do not compress; a manifest and the headers of chunks come in addition.
                #expect((4 << 20..<4 << 20 + 65_536).contains(cat.bytes), "\(sources)")
                let head = try #require(sources["head"])
                #expect(head.documents == 1 && (1..<(2 << 20)).contains(head.bytes), "\(sources)")
                let requested = try #require(sources["requested"])
                #expect(requested.documents == 1 && requested.bytes >= 2 << 20, "\(sources)")
                // Local bytes are read without a download.
                try await b.shell("cat 1 4 > /dev/null")
                #expect(try await Self.sources(b)["cat"]?.bytes == cat.bytes)

                try await b.restart()
                let kept = try await Self.sources(b)
                #expect(kept["cat"]?.bytes == cat.bytes && kept["requested"]?.documents == 1, "\(kept)")
                let table = try await b.ubiquity(["downloads", "--by-program", "--days", "1", "--mount", b.mount])
                    .text()
                #expect(table.contains("cat") && table.contains("(requested)"), "\(table)")
                let days = try await b.ubiquity(["downloads", "--mount", b.mount]).text()
                #expect(!days.contains("cat") && days.contains("DOCUMENTS"), "\(days)")
                for wrong in [["--days", "0"], ["--days", "31"], ["--allow", ""], ["--allow", "a", "--json"]] {
                    let outcome = try await b.ubiquity(["downloads"] + wrong)
                    #expect(outcome.status == 64, "\(outcome)")
                }
            }
        }
    }
}
