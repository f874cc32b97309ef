import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Bytes that change spontaneously, on the device and in the cloud.
    @Suite("Check and repair")
    struct CheckTests {
        struct Document: Decodable {
            struct Mount: Decodable {
                struct Finding: Decodable {
                    let message: String
                    let path: String?
                    let advice: String?
                }
                let problems: [Finding]
                let problemCount: UInt64
                let repairs: [Finding]
            }
            let mounts: [Mount]
        }

        private func findings(_ device: TestDevice, _ verb: String) async throws -> (
            status: Int32, mount: Document.Mount
        ) {
            let outcome = try await device.ubiquity([verb, device.mount, "--json"])
            let document = try JSONDecoder().decode(Document.self, from: Data(outcome.output.utf8))
            return (outcome.status, try #require(document.mounts.first))
        }

        @Test("on a healthy device and cloud no problem is found")
        func well() async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                try await test.a.shell("mkdir d; seq 1 300000 > d/big; echo small > small; ln -s d l; touch empty")
                try await test.a.sync()
                try await test.expectConverged()
                for device in test.devices {
                    let outcome = try await device.ubiquity(["check", device.mount])
                    #expect(outcome.status == 0, "\(outcome)")
                    #expect(outcome.output.hasSuffix("0 problems.\n"))
                    let json = try await findings(device, "repair")
                    #expect(json.status == 0 && json.mount.problems.isEmpty && json.mount.repairs.isEmpty)
                }
            }
        }

        @Test("a flipped byte in a document's blob is found with its path, and repaired from the cloud")
        func localByte() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                try await test.a.shell("mkdir d; seq 1 300000 > d/big; echo small > small")
                try await test.a.sync()
                let blob = try #require(try test.a.blobs.first)
                let stamp = "\(test.root)/stamp"
                try await test.a.shell("touch -r '\(blob.path)' \(stamp)")
                try Damage.flip(blob.path, at: blob.size / 2)
                try await test.a.shell("touch -r \(stamp) '\(blob.path)'")
                let found = try await findings(test.a, "check")
                #expect(found.status == 7 && found.mount.problemCount == 1)
                #expect(found.mount.problems.first?.path == test.a.path("d/big"))
                #expect(found.mount.problems.first?.message == "its bytes on this device are damaged")
                let repaired = try await findings(test.a, "repair")
                #expect(repaired.status == 0 && repaired.mount.problems.isEmpty && repaired.mount.repairs.count == 1)
                try await test.a.shell("seq 1 300000 | cmp - d/big; test ! -e Recovered")
                #expect(try await findings(test.a, "check").status == 0)
            }
        }

        @Test(
            "bytes that changed with a new time may be an edit: repair restores the cloud's and keeps these in Recovered"
        )
        func localEdit() async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                try await test.a.shell("mkdir d; seq 1 300000 > d/big")
                try await test.a.sync()
                let blob = try #require(try test.a.blobs.first)
                try Damage.flip(blob.path, at: 7)
                let repaired = try await findings(test.a, "repair")
                #expect(repaired.status == 0 && repaired.mount.repairs.count == 1)
                try await test.a.shell("seq 1 300000 | cmp - d/big")
                let copy = try await test.a.shell("find Recovered -type f -name big")
                #expect(copy.hasSuffix("/CloudDocs/Documents/d/big"))
                try await test.a.shell(
                    "seq 1 300000 | cmp - '\(copy)' && exit 1 || test $(stat -c %s '\(copy)') = 1988895")
                try await test.expectConverged()
            }
        }

        @Test("missing bytes of a document on the device are found, and downloaded again")
        func localGone() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                try await test.a.shell("seq 1 30000 > f")
                try await test.a.sync()
                try FileManager.default.removeItem(atPath: try #require(try test.a.blobs.first).path)
                let found = try await findings(test.a, "check")
                #expect(found.mount.problems.first?.message == "its bytes are missing on this device")
                #expect(try await findings(test.a, "repair").status == 0)
                try await eventually("it is here") { try await test.a.tryShell("seq 1 30000 | cmp - f").succeeded }
            }
        }

        @Test("a chunk that is missing or changed in the cloud is found with its document, and uploaded again")
        func cloudChunk() async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                try await test.a.shell("mkdir d; seq 1 400000 > d/big; head -c 50000 /dev/urandom > noise")
                try await test.a.sync()
                try await test.expectConverged()
                try await test.b.evict("d/big", "noise")
                let chunks = try test.cloud.chunks
                try Damage.flip(chunks[0].path, at: chunks[0].size - 5)
                try FileManager.default.removeItem(atPath: chunks[1].path)
                let found = try await findings(test.b, "check")
                #expect(found.status == 7 && found.mount.problemCount >= 1)
                #expect(found.mount.problems.allSatisfy { $0.path?.hasPrefix(test.b.documents) == true })
                #expect(try await findings(test.b, "repair").status == 7, "B has no copy")
                let repaired = try await findings(test.a, "repair")
                #expect(repaired.status == 0 && !repaired.mount.repairs.isEmpty, "\(repaired)")
                #expect(try await findings(test.b, "check").status == 0)
                try await test.b.shell("seq 1 400000 | cmp - d/big; cmp noise \(test.a.path("noise"))")
            }
        }

        @Test("if neither the device nor the cloud has valid bytes, the local bytes are kept and reported")
        func hopeless() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                try await test.a.shell("head -c 50000 /dev/urandom > f")
                try await test.a.sync()
                for chunk in try test.cloud.chunks { try FileManager.default.removeItem(atPath: chunk.path) }
                let blob = try #require(try test.a.blobs.first).path
                try Damage.flip(blob, at: 100)
                // Not through the mount: the kernel may release the file later, and an open file is not examined.
                let before = try await test.a.shell("sha256sum < '\(blob)'")
                let outcome = try await findings(test.a, "repair")
                #expect(outcome.status == 7)
                #expect(outcome.mount.problems.contains { $0.advice?.contains("the local bytes were kept") == true })
                #expect(try await test.a.shell("sha256sum < f") == before)
            }
        }

        @Test("a damaged entry of the log is found, with the document that it created")
        func cloudEntry() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                try await test.a.shell("echo one > one")
                try await test.a.sync()
                let number = try test.cloud.contents().logEntries
                try Damage.flip(test.cloud.entry(number), at: 40)
                let found = try await findings(test.a, "check")
                #expect(found.status == 7)
                let problem = try #require(found.mount.problems.first)
                #expect(problem.path == test.a.path("one"))
                #expect(problem.message.hasPrefix("entry \(number) of the log of CloudDocs is damaged in the cloud"))
            }
        }

        @Test("an edit that is not in the cloud is not a problem, and a repair keeps it")
        func edit() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                try await test.a.shell("echo old > f")
                try await test.a.sync()
                try await test.a.shell("setfattr -n user.ubiquity.isSyncPaused -v 1 f; echo new > f")
                #expect(try await findings(test.a, "repair").status == 0)
                #expect(try await test.a.contents("f") == "new")
            }
        }

        @Test("a flipped byte in a row that SQLite accepts is found with its document, and repaired")
        func row() async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                try await test.a.shell("for i in $(seq 1 40); do echo $i > document-$i; done; chmod 640 document-7")
                try await test.a.sync()
                try await test.a.shell(
                    "setfattr -n user.ubiquity.isSyncPaused -v 1 document-9; echo edited > document-9")
                try await test.a.stop()
                let file = "\(test.a.state)/metadata.sqlite"
                let bytes = try Data(contentsOf: URL(filePath: file))
                // The permissions follow the name and the kind: 0640 is 0x01A0.
                let name = Data("document-7".utf8)
                let places = bytes.ranges(of: name + [1, 0xA0]) + bytes.ranges(of: name + [1, 1, 0xA0])
                let place = try #require(places.last, "the row is not laid out as this test thinks")
                try Damage.flip(file, at: place.upperBound - 1)
                try await test.a.start()
                let found = try await findings(test.a, "check")
                #expect(found.status == 7 && found.mount.problems.first?.path == test.a.path("document-7"), "\(found)")
                let repaired = try await findings(test.a, "repair")
                #expect(repaired.status == 0, "\(repaired)")
                try await eventually("all is back") {
                    try await test.a.tryShell("test $(stat -c %a document-7) = 640 -a $(cat document-7) = 7").succeeded
                }
                let kept = try await test.a.shell("find . -name document-9 -exec cat {} + | sort | tr '\\n' ' '")
                #expect(kept == "9 edited")
            }
        }

        @Test("a flipped byte of the database is found, and a repair fixes it")
        func database() async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                try await test.a.shell("for i in $(seq 1 400); do echo $i > document-$i; done")
                try await test.a.sync()
                try await test.a.stop()
                // The header of a page of names: SQLite finds the cells of its tree through it.
                let file = "\(test.a.state)/metadata.sqlite"
                let bytes = try Data(contentsOf: URL(filePath: file))
                let name = try #require(bytes.firstRange(of: Data("document-200".utf8)))
                try Damage.flip(file, at: name.lowerBound / 4096 * 4096, count: 12)
                let started = try await test.a.tryStart(cloud: test.cloud.url)
                try test.a.adopt(started)
                if !started.errors.contains("rebuilt") {
                    let found = try await test.a.ubiquity(["check", test.a.mount])
                    #expect(found.status == 7 && found.errors.contains("Run `ubiquity repair`"), "\(found)")
                    let repaired = try await findings(test.a, "repair")
                    #expect(repaired.status == 0 && repaired.mount.repairs.first?.path == test.a.mount, "\(repaired)")
                }
                #expect(try await findings(test.a, "check").status == 0)
                try await eventually("all is back") {
                    try await test.a.list().filter { $0 != "Recovered" }.count == 400
                }
                #expect(try await test.a.contents("document-200") == "200")
                try await test.expectConverged()
            }
        }
    }
}
