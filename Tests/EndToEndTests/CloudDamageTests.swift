import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// A device's reaction to unusable data in its cloud.
    @Suite("Damage in the cloud")
    struct CloudDamageTests {
        @Test(
            "reading a truncated or changed chunk gives EIO and never other bytes; status names the document; other documents keep working"
        )
        func chunk() async throws {
            try await TestDevices.withTwo { cloud, a, b in
                try await a.shell(
                    "head -c 70000 /dev/urandom > cut; head -c 60000 /dev/urandom > flipped; echo ok > ok")
                try await a.sync()
                try await eventually("B lists all") { try await b.list() == ["cut", "flipped", "ok"] }
                let chunks = try cloud.chunks
                try Damage.truncate(chunks[0].path, to: 30000)
                try Damage.flip(chunks[1].path, at: 30000)
                for name in ["cut", "flipped"] {
                    let read = try await b.run("cat", b.path(name))
                    #expect(read.errors.contains("Input/output error") && read.output.isEmpty, "\(read)")
                }
                #expect(try await b.contents("ok") == "ok")
                try await eventually("status tells") {
                    try await b.failures().count == 2
                } describe: {
                    "\(try await b.failures())"
                }
                let text = try await b.ubiquity(["status", b.mount]).text()
                #expect(text.contains("CloudDocs/Documents/cut") && text.contains("CloudDocs/Documents/flipped"))
                #expect(!text.contains(".."), "\(text)")
                try await a.ubiquity(["repair", a.mount]).text()
                for name in ["cut", "flipped"] { try await b.shell("cmp \(name) \(a.path(name))") }
                try await eventually("the errors are over") { try await b.failures().isEmpty }
            }
        }

        @Test(
            "an entry of a newer version stops only its container, with a clear status, and the container continues after an update"
        )
        func newerEntry() async throws {
            try await TestDevices.withTwo { cloud, a, b in
                try await a.shell("echo one > one; mkdir ../../notes")
                try await a.sync()
                try await eventually("B has both") {
                    try await b.tryShell("cat one; ls ../../notes/Documents").succeeded
                }
                try await b.stop()
                try await a.shell("echo two > two")
                try await a.sync()
                let last = try #require(
                    (1...50).map(cloud.entry).last { FileManager.default.fileExists(atPath: $0) })
                let whole = try Data(contentsOf: URL(filePath: last))
                // The format version of an entry's file is its second word.
                try Damage.flip(last, at: 4)
                try await b.start()
                try await eventually("B says why") {
                    try await b.ubiquity(["status", b.mount]).text().contains("needs a newer version of ubiquity")
                } describe: {
                    try await b.ubiquity(["status", b.mount]).text()
                }
                #expect(try await b.contents("one") == "one")
                try await b.shell("echo mine > mine; echo n > ../../notes/Documents/n")
                try await eventually("another container goes on") {
                    try await a.tryShell("grep -q n ../../notes/Documents/n").succeeded
                }
                let waited = try await b.ubiquity(["sync", b.mount, "--wait", "--timeout", "20"])
                #expect(waited.status == 1 && waited.errors.contains("needs a newer version of ubiquity"), "\(waited)")
                try whole.write(to: URL(filePath: last))
                try await b.restart()
                try await eventually("all goes on") {
                    try await b.tryShell("grep -q two two && grep -q mine mine").succeeded
                }
                try await eventually("and reaches A") { try await a.tryShell("grep -q mine mine").succeeded }
            }
        }
    }
}
