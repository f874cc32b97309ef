import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// A program with very many presenters beside an unrelated program.
    @Suite("Many presenters")
    struct ManyPresentersTests {
        private static let count = 10_000

        private struct Figures {
            let median: Double

            init(_ text: String) throws {
                let words = text.split(separator: " ")
                median = try #require(words.count > 1 ? Double(words[1]) : nil, "no figures: \(text)")
            }
        }

        private func measure(_ device: TestDevice) async throws -> Figures {
            try Figures(await device.shell("\(device.binaries)/presenter-tool measure \(device.documents)/f 300"))
        }

        /// Returns the resident memory of the daemon in KiB.
        private func memory(_ device: TestDevice) throws -> Int {
            let status = try String(contentsOfFile: "/proc/\(device.daemon.pid ?? 0)/status", encoding: .utf8)
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
            return Int(line.filter(\.isNumber)) ?? 0
        }

        /// The speed of the reads and the memory are printed and not checked, because they depend on how busy the machine is. `make
        /// services` uses 100,000 presenters.
        @Test("another program's reads ask none of 10,000 presenters of other items, which end with their program")
        func many() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let device = test.a
                try await device.shell("echo x > f; mkdir crowd")
                let (alone, empty) = (try await measure(device), try memory(device))
                let crowd = "crowd \(device.documents)/crowd \(Self.count)"
                try await device.showing("presenter-tool", crowd, first: "presenting \(Self.count)") {
                    shown in
                    let (beside, full) = (try await measure(device), try memory(device))
                    print(
                        "reads beside \(Self.count) presenters take \(beside.median / alone.median) of the time alone;",
                        "the daemon has \((full - empty) * 1024 / Self.count) bytes more for each")
                    #expect(shown.said == ["presenting \(Self.count)"], "no presenter was asked or notified")
                    // The folder's presenters do receive their messages.
                    try await device.shell("echo x > crowd/new")
                    #expect(try await presented(device) == 500, "as many as are listed")
                }
                try await eventually("they are gone") { try await presented(device) == 0 }
            }
        }

        private func presented(_ device: TestDevice) async throws -> Int {
            let text = try await device.ubiquity(["diagnose", "--claims", "--json", device.mount]).text()
            // The document contains each presenter twice: in the list of items, and in the tree.
            return (text.components(separatedBy: "\"isSilent\"").count - 1) / 2
        }
    }
}
