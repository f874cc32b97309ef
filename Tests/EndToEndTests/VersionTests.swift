import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Earlier versions of documents: listed, read, restored and removed, on devices that never had them.
    @Suite("Versions")
    struct VersionTests {
        private struct Version: Decodable {
            let version: String
            let kind: String
            let device: String
            let size: Int
            let file: String
            let isHere: Bool
        }

        private func versions(_ device: TestDevice, _ name: String = "f") async throws -> [Version] {
            struct Answer: Decodable { let versions: [Version] }
            let text = try await device.ubiquity(["versions", "--json", device.path(name)]).text()
            return try JSONDecoder().decode(Answer.self, from: Data(text.utf8)).versions
        }

        private func history(_ device: TestDevice, _ name: String = "f") async throws -> [Version] {
            try await versions(device, name).filter { $0.kind == "history" }
        }

        /// Saves the texts in order, with a sync after each.
        private func save(_ texts: [String], _ device: TestDevice, to name: String = "f") async throws {
            for text in texts {
                try await device.shell("echo \(text) > \(name)")
                try await device.sync()
            }
        }

        @Test(
            "each content that was in the cloud is listed and can be restored on a device that never had it; a restore can be undone"
        )
        func restore() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await save(["one", "two", "three"], a)
                try await b.sync()
                let listed = try await versions(b)
                #expect(
                    listed.map(\.kind) == ["current", "history", "history"] && listed.allSatisfy { $0.device == "A" })
                let oldest = try #require(listed.last)
                #expect(oldest.size == 4 && !oldest.isHere)
                try await b.ubiquity(["restore", b.path("f"), "--version", oldest.version]).text()
                #expect(try await b.contents("f") == "one")
                try await b.sync()
                try await a.sync()
                try await eventually("the other device has it") { try await a.contents("f") == "one" }
                // The former current content is a version now.
                let newest = try #require(try await history(a).first)
                #expect(newest.size == 6)
                try await a.ubiquity(["restore", a.path("f"), "--version", newest.version]).text()
                #expect(try await a.contents("f") == "three")
                #expect(try await a.ubiquity(["conflicts", a.mount]).text() == "No conflicts.")
            }
        }

        @Test("an edit that is not in the cloud is uploaded before a version replaces it")
        func unsent() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                try await save(["one", "two"], test.a)
                let oldest = try #require(try await history(test.a).last)
                let restore = test.a.command(["restore", "f", "--version", oldest.version])
                try await test.a.shell("echo precious > f; \(restore)")
                #expect(try await test.a.contents("f") == "one")
                try await test.a.sync()
                #expect(try await history(test.a).contains { $0.size == 9 })
            }
        }

        @Test("a version can be copied to a file, also of a deleted document, which can be created again")
        func export() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await save(["one", "two"], a)
                try await b.sync()
                let version = try #require(try await history(b).first).version
                let copy = "\(b.state)/copy"
                try await b.ubiquity(["restore", b.path("f"), "--version", version, "--to", copy]).text()
                #expect(try String(contentsOfFile: copy, encoding: .utf8) == "one\n")
                #expect(try await b.contents("f") == "two")
                #expect(try await history(b).contains { $0.isHere })
                try await b.shell("rm f")
                try await b.sync()
                try await a.sync()
                let last = try #require(try await versions(a).first)
                #expect(last.kind == "history" && last.size == 4)
                try await a.ubiquity(["restore", a.path("f"), "--version", last.version]).text()
                #expect(try await a.contents("f") == "two")
            }
        }

        @Test("removed versions disappear on every device; the other versions stay")
        func remove() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await save(["one", "two", "three"], a)
                try await b.sync()
                let oldest = try #require(try await history(b).last)
                try await b.ubiquity(["versions", b.path("f"), "--remove", oldest.version]).text()
                try await b.sync()
                try await a.sync()
                for device in [a, b] { #expect(try await history(device).map(\.size) == [4]) }
                let unknown = try await a.ubiquity(["restore", a.path("f"), "--version", oldest.version])
                #expect(!unknown.succeeded && unknown.errors.contains("has no version"), "\(unknown)")
            }
        }

        @Test("the requested number of versions is listed, by default ten")
        func limits() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                try await save((1...13).map { "text \($0)" }, test.a)
                #expect(try await history(test.a).count == 10)
                try await test.a.restart(["--version-count", "3"])
                #expect(try await history(test.a).count == 3)
                try await test.a.restart(["--version-days", "0", "--version-count", "100"])
                #expect(try await history(test.a).count <= 1)
            }
        }

        @Test("a program reads, restores and removes versions with the library, on a device that never had them")
        func library() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await save(["one", "two", "three"], a)
                try await b.sync()
                let said = try await b.shell("\(b.binaries)/presenter-tool versions f")
                let lines = said.split(separator: "\n").map(String.init)
                let expected = [
                    "current of A", "0 here, 2 in the cloud", "read one", "1 here, 1 in the cloud",
                    "found, discardable", "now one", "0 here",
                ]
                #expect(lines == expected, "\(said)")
                try await b.sync()
                try await a.sync()
                try await eventually("it is back on both") { try await a.contents("f") == "one" }
                #expect(
                    try await history(a).map(\.size) == [6, 4],
                    "the oldest was removed, and what was current is a version")
            }
        }

        @Test("without the cloud the history is listed, and restoring fails as the cloud cannot be reached")
        func offline() async throws {
            try await TestDevices.withTwo { cloud, a, b in
                try await save(["one", "two"], a)
                try await b.sync()
                try cloud.goOffline()
                let version = try #require(try await history(b).first).version
                let outcome = try await b.ubiquity(["restore", b.path("f"), "--version", version])
                #expect(!outcome.succeeded && outcome.errors.contains("cannot be reached"), "\(outcome)")
                try cloud.goOnline()
                try await b.sync()
                try await b.ubiquity(["restore", b.path("f"), "--version", version]).text()
                #expect(try await b.contents("f") == "one")
            }
        }
    }
}
