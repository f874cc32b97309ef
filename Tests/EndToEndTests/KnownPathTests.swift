import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// The daemon caches the item of a path for frequent claims.
    @Suite("Paths that are claimed often")
    struct KnownPathTests {
        private func read(_ device: TestDevice, _ file: String, times: Int = 20) async throws {
            try await device.shell(
                "timeout 60 \(device.binaries)/presenter-tool measure \(device.documents)/\(file) \(times)")
        }

        /// Holds a file for writing while `body` runs.
        private func writing(
            _ device: TestDevice, _ file: String, name: String = "writer", _ body: () async throws -> Void
        ) async throws {
            let go = "\(device.state)/\(name).go"
            let arguments = "hold write \(device.documents)/\(file) \(go)"
            try await device.showing("presenter-tool", arguments, first: "held f", name: name) { _ in
                defer { _ = FileManager.default.createFile(atPath: go, contents: nil) }
                try await body()
            }
        }

        private func held(_ device: TestDevice) async throws -> String {
            try await device.ubiquity(["diagnose", "--claims", "--json", device.mount]).text()
        }

        @Test(
            "after a folder was renamed, a path refers to the file that is there now, and the old file is not claimed")
        func folder() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                try await test.a.shell("mkdir d; echo old > d/f")
                try await read(test.a, "d/f")
                try await test.a.shell("mv d e; mkdir d; echo new > d/f")
                try await writing(test.a, "d/f") {
                    #expect(try await held(test.a).contains("CloudDocs/Documents/d/f"))
                    // If the path meant the new file, the read would wait for the writer and time out.
                    try await read(test.a, "e/f")
                }
            }
        }

        @Test(
            "after a save by rename a path refers to the new file, and after a removal to the file that is created there"
        )
        func replaced() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let changes = ["echo new > t; mv t f", "rm f; echo other > f", "mv f g; echo third > f"]
                for (number, change) in changes.enumerated() {
                    try await test.a.shell("echo old > f")
                    try await read(test.a, "f")
                    try await test.a.shell(change)
                    try await writing(test.a, "f", name: "writer\(number)") { () async throws in
                        let list = try await held(test.a)
                        #expect(list.contains("CloudDocs/Documents/f"), "\(change)")
                    }
                    try await read(test.a, "f")
                }
            }
        }

        @Test("after another device wrote a file, a path that was read often refers to the new content")
        func fromElsewhere() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell("echo 1 > f")
                try await a.sync()
                try await eventually("B has it") { try await b.contents("f") == "1" }
                try await read(b, "f")
                try await a.shell("echo 2 > t; mv t f")
                try await a.sync()
                try await eventually("B has the new one") { try await b.contents("f") == "2" }
                try await read(b, "f")
                try await a.shell("rm f")
                try await a.sync()
                try await eventually("it is gone from B") { try await b.list() == [] }
                // The file does not exist, and no claim blocks a reader of its path.
                try await read(b, "f", times: 1)
            }
        }
    }
}
