import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Earlier versions of packages, as whole documents.
    @Suite("Versions of packages")
    struct PackageVersionTests {
        private struct Version: Decodable {
            let version: String
            let kind: String
            let device: String
            let size: Int
            let file: String
            let isHere: Bool
        }

        private func history(_ device: TestDevice, _ name: String = "d.rtfd") async throws -> [Version] {
            struct Answer: Decodable { let versions: [Version] }
            let text = try await device.ubiquity(["versions", "--json", device.path(name)]).text()
            return try JSONDecoder().decode(Answer.self, from: Data(text.utf8)).versions.filter { $0.kind == "history" }
        }

        /// Returns a package's files with their contents, a line each.
        private func show(_ device: TestDevice, _ name: String = "d.rtfd") async throws -> String {
            try await device.shell("cd \(name) && find . -type f -o -type l | sort | xargs grep -H ''")
        }

        private let first = "./in/y:1\n./x:1"

        /// Creates three states: two files; a changed file; a removed and an added file.
        private func makeHistory(_ a: TestDevice, _ b: TestDevice) async throws {
            for save in [
                "mkdir -p d.rtfd/in; echo 1 > d.rtfd/x; echo 1 > d.rtfd/in/y", "echo two > d.rtfd/x",
                "echo three > d.rtfd/x; rm -r d.rtfd/in; echo new > d.rtfd/z",
            ] {
                // Each save is a single batch, however slow the machine is.
                try await a.shell("\(a.command(["coordinate", "write", "d.rtfd"])) -- sh -c '\(save)'")
                try await a.sync()
            }
            try await b.sync()
        }

        @Test(
            "each state of a package is listed and can be restored complete on a device that never had it; a restore can be undone"
        )
        func restore() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await makeHistory(a, b)
                let listed = try await history(b)
                #expect(listed.map(\.size) == [6, 4])
                #expect(listed.allSatisfy { $0.device == "A" && !$0.isHere })
                #expect(try await history(a).map(\.version) == listed.map(\.version))
                let oldest = try #require(listed.last).version
                try await b.ubiquity(["restore", b.path("d.rtfd"), "--version", oldest]).text()
                #expect(try await show(b) == first)
                try await b.sync()
                try await a.sync()
                try await eventually("the other device has it") { try await show(a) == first }
                // The replaced state is a version now.
                let newest = try #require(try await history(a).first)
                #expect(newest.size == 10 && newest.device == "A")
                try await a.ubiquity(["restore", a.path("d.rtfd"), "--version", newest.version]).text()
                #expect(try await show(a) == "./x:three\n./z:new")
                try await a.sync()
                try await b.sync()
                try await eventually("it is back on both") { try await show(b) == "./x:three\n./z:new" }
                #expect(try await a.ubiquity(["conflicts", a.mount]).text() == "No conflicts.")
            }
        }

        @Test("a restored package reaches other devices at once, never in part")
        func oneBatch() async throws {
            try await TestDevices.withTwo { _, a, b in
                let files = (1...6).map { "d.rtfd/\($0)" }.joined(separator: " ")
                for text in ["old", "new"] {
                    try await a.shell("mkdir -p d.rtfd; for f in \(files); do echo \(text) > $f; done")
                    try await a.sync()
                }
                try await b.sync()
                try await b.download("d.rtfd")
                let version = try #require(try await history(a).first).version
                async let restored = a.ubiquity(["restore", a.path("d.rtfd"), "--version", version])
                var seen: Set<String> = []
                let read = "\(b.command(["coordinate", "read", "d.rtfd"])) -- cat \(files)"
                try await eventually("the restored state arrives") {
                    seen.insert(try await b.shell(read))
                    return seen.contains { $0.hasPrefix("old") }
                }
                try await restored.text()
                #expect(seen.allSatisfy { Set($0.split(separator: "\n")).count == 1 }, "\(seen)")
            }
        }

        /// A program that exchanges two names with `RENAME_EXCHANGE` of `renameat2(2)`.
        private let exchange =
            "python3 -c 'import ctypes, sys; a, b = [p.encode() for p in sys.argv[1:]]; sys.exit(ctypes.CDLL(None).renameat2(-100, a, -100, b, 2))'"

        @Test("a package that programs save by exchanging it for a new folder keeps its states under its name")
        func exchanged() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell("mkdir d.rtfd; echo 1 > d.rtfd/x; echo 1 > d.rtfd/y")
                try await a.sync()
                for text in ["two", "three"] {
                    try await a.shell(
                        "mkdir .n.rtfd; echo \(text) > .n.rtfd/x; echo \(text) > .n.rtfd/y; \(exchange) .n.rtfd d.rtfd && rm -r .n.rtfd"
                    )
                    try await a.sync()
                }
                try await b.sync()
                let listed = try await history(b)
                #expect(listed.map(\.size) == [8, 4])
                let oldest = try #require(listed.last).version
                try await b.ubiquity(["restore", b.path("d.rtfd"), "--version", oldest]).text()
                #expect(try await show(b) == "./x:1\n./y:1")
            }
        }

        @Test("changes of a package that are not in the cloud are uploaded before a version replaces them")
        func unsent() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                try await makeHistory(test.a, test.a)
                let oldest = try #require(try await history(test.a).last).version
                let restore = test.a.command(["restore", "d.rtfd", "--version", oldest])
                try await test.a.shell("echo precious > d.rtfd/p; \(restore)")
                #expect(try await show(test.a) == first)
                try await test.a.sync()
                let copy = "\(test.a.state)/copy.rtfd"
                let newest = try #require(try await history(test.a).first)
                try await test.a.ubiquity(["restore", test.a.path("d.rtfd"), "--version", newest.version, "--to", copy])
                    .text()
                #expect(try String(contentsOfFile: "\(copy)/p", encoding: .utf8) == "precious\n")
            }
        }

        @Test(
            "a version of a package can be copied elsewhere, also of a deleted package; it cannot be removed by itself")
        func export() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await makeHistory(a, b)
                let oldest = try #require(try await history(b).last).version
                let copy = "\(b.state)/copy.rtfd"
                try await b.ubiquity(["restore", b.path("d.rtfd"), "--version", oldest, "--to", copy]).text()
                #expect(try String(contentsOfFile: "\(copy)/in/y", encoding: .utf8) == "1\n")
                #expect(try await history(b).contains { $0.isHere })
                let removal = try await b.ubiquity(["versions", b.path("d.rtfd"), "--remove", oldest])
                #expect(!removal.succeeded && removal.errors.contains("cannot be removed alone"), "\(removal)")
                try await b.shell("rm -r d.rtfd")
                try await b.sync()
                try await a.sync()
                let last = try #require(try await history(a).first)
                #expect(last.size == 10)
                try await a.ubiquity(["restore", a.path("d.rtfd"), "--version", last.version]).text()
                #expect(try await show(a) == "./x:three\n./z:new")
            }
        }

        @Test("a program reads and restores versions of a package with the library")
        func library() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await makeHistory(a, b)
                let said = try await b.shell("\(b.binaries)/presenter-tool versions d.rtfd")
                let lines = said.split(separator: "\n").map(String.init)
                let expected = [
                    "current of A", "0 here, 2 in the cloud", "read in x", "1 here, 1 in the cloud",
                    "found, discardable", "now in x",
                ]
                #expect(Array(lines.prefix(expected.count)) == expected, "\(said)")
                try await b.sync()
                try await a.sync()
                try await eventually("it is back on both") { try await show(a) == first }
            }
        }
    }
}
