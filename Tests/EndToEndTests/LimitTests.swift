import Foundation
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Limits of transfers")
    struct LimitTests {
        /// The number of bytes below a directory.
        private static func size(of directory: String) -> Int {
            let files = FileManager.default.enumerator(atPath: directory)
            var size = 0
            while let name = files?.nextObject() as? String {
                guard let values = try? FileManager.default.attributesOfItem(atPath: "\(directory)/\(name)"),
                    values[.type] as? FileAttributeType == .typeRegular
                else { continue }
                size += values[.size] as? Int ?? 0
            }
            return size
        }

        @Test("no more bytes than the limit allows are in the cloud, until it is removed; then all of them are")
        func up() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let a = test.a
                let rate = 100_000
                let said = try await a.ubiquity(["limit", "--up", "100kB", "--mount", a.mount]).text()
                #expect(said == "\(a.mount): up 98 KiB/s, down without a limit.")
                try await a.restart()
                let before = Self.size(of: test.cloud.directory)
                let began = ContinuousClock.now
                try await a.shell("head -c 20M /dev/urandom > large")
                try await eventually("the first bytes are in the cloud") {
                    Self.size(of: test.cloud.directory) > before + rate
                }
                // A new name does not wait for the other document's bytes.
                try await a.shell("mkdir folder")
                try await eventually("another document is in the cloud") { try await a.status("folder").isUploaded }
                let sent = Self.size(of: test.cloud.directory) - before
                let seconds = (ContinuousClock.now - began) / .seconds(1)
                // One second's bytes, and the chunk in progress, come in addition; the log has a few.
                #expect(Double(sent) <= Double(rate) * (seconds + 1) + 0x1p20 + 65_536, "\(sent) bytes in \(seconds) s")
                #expect(sent < 20 << 20)
                let status = try await a.ubiquity(["status", a.mount]).text()
                #expect(status.contains("up 98 KiB/s, down without a limit"), "\(status)")

                try await a.ubiquity(["limit", "--off", "--mount", a.mount]).text()
                try await a.sync()
                #expect(Self.size(of: test.cloud.directory) - before >= 20 << 20)
            }
        }

        @Test(
            "no more bytes than the limit allows are downloaded; a reader gets its bytes, and everything comes without the limit"
        )
        func down() async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                let (a, b) = (test.a, test.b)
                try await a.shell("head -c 20M /dev/urandom > large; head -c 10K /dev/urandom > small")
                try await a.sync()
                try await eventually("B lists what A has") { try await b.list() == ["large", "small"] }
                try await b.ubiquity(["limit", "--down", "100K", "--mount", b.mount]).text()
                let began = ContinuousClock.now
                try await b.ubiquity(["download", b.path("large")]).text()
                let sum = try await b.shell("sha256sum < small")
                #expect(try await a.shell("sha256sum < small") == sum)
                struct Report: Decodable {
                    struct Day: Decodable {
                        struct Source: Decodable { let bytes: Int }
                        let sources: [Source]
                    }
                    let days: [Day]
                }
                func received() async throws -> Int {
                    let text = try await b.ubiquity(["downloads", "--json", "--mount", b.mount]).text()
                    let report = try JSONDecoder().decode(Report.self, from: Data(text.utf8))
                    return report.days.flatMap(\.sources).reduce(0) { $0 + $1.bytes }
                }
                try await eventually("bytes of the large one have arrived") { try await received() > 300_000 }
                let bytes = try await received()
                let seconds = (ContinuousClock.now - began) / .seconds(1)
                #expect(Double(bytes) <= 102_400 * (seconds + 1) + 0x1p21, "\(bytes) bytes in \(seconds) s")
                #expect(bytes < 20 << 20)
                try await b.ubiquity(["limit", "--down", "off", "--mount", b.mount]).text()
                try await b.download("large")
                #expect(try await b.shell("sha256sum < large") == a.shell("sha256sum < large"))
                for wrong in [["--up", "x"], ["--up", "0"], ["--off", "--up", "1M"], ["--up", "1e400"]] {
                    let outcome = try await b.ubiquity(["limit"] + wrong)
                    #expect(outcome.status == 64, "\(outcome)")
                }
                let low = try await b.ubiquity(["limit", "--up", "100", "--mount", b.mount])
                #expect(low.status == 64 && low.errors.contains("10000 to"), "\(low)")
            }
        }
    }
}
