import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Documents moved between a machine and its cloud.
    @Suite("Moves in and out")
    struct MoveTests {
        @Test(
            "an item that is moved in is a document on all devices, an item that is moved out is only on this machine; nothing is replaced"
        )
        func moves() async throws {
            try await TestDevices.withTwo { _, a, b in
                let outside = "\(a.state)/outside"
                try await a.shell(
                    "mkdir '\(outside)' '\(outside)/d'; echo 1 > '\(outside)/d/f'; ln -s f '\(outside)/d/link'")
                try await a.ubiquity(["move-in", "\(outside)/d", a.documents]).text()
                #expect(!FileManager.default.fileExists(atPath: "\(outside)/d"))
                try await eventually("B has it") { try await b.shell("cat d/link 2>/dev/null || true") == "1" }
                try await b.ubiquity(["evict", b.path("d/f")]).text()
                let target = "\(b.state)/out"
                try await b.ubiquity(["move-out", b.path("d"), target]).text()
                #expect(try String(contentsOfFile: "\(target)/f", encoding: .utf8) == "1\n")
                try await eventually("it left A too") { try await a.list() == [] }
                try await a.shell("echo mine > f; echo other > '\(outside)/f'")
                let refused = try await a.ubiquity(["move-in", "\(outside)/f", a.path("f")])
                #expect(refused.status == 6)
                #expect(try await a.contents("f") == "mine")
                #expect(try String(contentsOfFile: "\(outside)/f", encoding: .utf8) == "other\n")
            }
        }
    }
}
